"""Games as data: what a file of decisions holds, how to read it, a loader for torch, an export."""
