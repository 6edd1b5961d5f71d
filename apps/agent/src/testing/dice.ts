/** Numbers from 0 to 1 that are the same in every run of the same seed. */
export function seededDice(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state * 1_103_515_245 + 12_345) & 0x7fffffff;
    return state / 0x7fffffff;
  };
}
