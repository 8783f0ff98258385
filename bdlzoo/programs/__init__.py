"""Programs of the command `bdlzoo`, one for each verb."""
