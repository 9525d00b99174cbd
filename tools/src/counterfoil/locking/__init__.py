"""Lock what somebody else's server lists, and notice when it lists something else."""
