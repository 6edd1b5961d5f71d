/** Questions under way at once; more wait, and go together. A second one, so that one slow answer does not hold up everybody. */
const UNDER_WAY_MAX = 2;
/** Keys of one question. */
const KEYS_MAX = 500;

type Waiting<Answer> = {
  readonly answer: Promise<Answer>;
  resolve(answer: Answer): void;
  reject(error: unknown): void;
};

/**
 * Asks for one key what `readAll` answers for many. Nobody waits while few ask; whoever asks while others are being answered goes with the next
 * question, which is asked after they did: an answer is never older than its asking. A question that fails fails for all that were in it.
 */
export function askedTogether<Answer>(
  readAll: (keys: readonly string[]) => Promise<ReadonlyMap<string, Answer>>,
): (key: string) => Promise<Answer> {
  const waiting = new Map<string, Waiting<Answer>>();
  let underWay = 0;

  async function ask(): Promise<void> {
    const asked = [...waiting].slice(0, KEYS_MAX);
    for (const [key] of asked) waiting.delete(key);
    underWay += 1;
    try {
      const answers = await readAll(asked.map(([key]) => key));
      for (const [key, { resolve, reject }] of asked) {
        const answer = answers.get(key);
        if (answer === undefined) reject(new Error(`Nothing was answered for ${key}.`));
        else resolve(answer);
      }
    } catch (error) {
      for (const [, { reject }] of asked) reject(error);
    }
    underWay -= 1;
    if (waiting.size > 0) void ask();
  }

  return (key) => {
    const known = waiting.get(key);
    if (known !== undefined) return known.answer;
    const { promise: answer, resolve, reject } = Promise.withResolvers<Answer>();
    waiting.set(key, { answer, resolve, reject });
    if (underWay < UNDER_WAY_MAX) void ask();
    return answer;
  };
}
