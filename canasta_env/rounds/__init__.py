"""A learner among other players: what happens from one of its decisions to the next is a round."""
