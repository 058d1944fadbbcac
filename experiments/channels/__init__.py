"""What suits and the order of melds are worth to partners who see them."""
