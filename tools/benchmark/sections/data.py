"""Growth of an epoch and of a prediction with the number of rows."""

from tools.benchmark import sizes

SECTION = sizes.section(
    title="Growth with data",
    note="Rows of 784 numbers in memory; MLP 784-50-10 with dropout, batches of 128. "
         "A step is an epoch of `fit`, or a `predict_uncertainty` of all rows with 8 "
         "draws.",
    axis="rows", sizes=(4096, 8192, 16384, 32768, 65536),
    contenders={
        "epoch": sizes.contender("bdlzoo `MCDropout`, an epoch", "epoch"),
        "prediction": sizes.contender("bdlzoo `MCDropout`, a prediction",
                                      "prediction"),
    },
    share=0.05, limit=sizes.LINEAR)
