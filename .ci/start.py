"""Print the seconds from ``import canasta_env`` to the first step, with all code compiled."""

import time

start = time.perf_counter()
import canasta_env  # noqa: E402

imported = time.perf_counter()
game = canasta_env.Game(seed=1)
game.play(game.legal()[0])
played = time.perf_counter()
batch = canasta_env.Batch(n=8, seed=1)
batch.step(batch.mask.argmax(axis=1))
stepped = time.perf_counter()

print(f"import canasta_env: {imported - start:.2f} s")
print(f"from there to the first action of a Game: {played - imported:.2f} s")
print(f"from there to the first step of a Batch: {stepped - played:.2f} s")
