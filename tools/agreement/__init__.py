"""Agreement of the zoo's figures with those of independent libraries."""
