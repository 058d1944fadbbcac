"""What discards tell of the hand that they come from, and who listens to them."""
