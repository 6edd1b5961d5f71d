/** Questions under way at once: a second one once so many wait, and so on. Few and large ones cost the least. */
const [UNDER_WAY_MAX, WAITING_FOR_ANOTHER] = [4, 64];
/** Whoever has waited so long goes with a question more, ms: a connection may hang until its own limit. */
const LATE_MS = 250;
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
  lateMs = LATE_MS,
): (key: string) => Promise<Answer> {
  // Another one for each question: the tables that one map grows out of are linked, and keep who was ever in it alive until the whole memory is swept.
  let waiting = new Map<string, Waiting<Answer>>();
  let underWay = 0;
  let planned = false;
  let begun = 0;
  let watched = false;

  async function ask(): Promise<void> {
    const all = [...waiting];
    const asked = all.slice(0, KEYS_MAX);
    waiting = new Map(all.slice(KEYS_MAX));
    underWay += 1;
    begun += 1;
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
    askSoon();
  }

  /** Once everything is read that has come by now: callers come in swarms. */
  function askSoon(): void {
    if (planned || waiting.size === 0) return;
    if (underWay >= Math.min(UNDER_WAY_MAX, 1 + Math.floor(waiting.size / WAITING_FOR_ANOTHER))) {
      if (!watched) setTimeout(askWhenLate, lateMs, begun).unref();
      watched = true;
      return;
    }
    planned = true;
    setImmediate(() => {
      planned = false;
      if (waiting.size > 0) void ask();
      askSoon();
    });
  }

  /** `before`: how many questions had been begun. */
  function askWhenLate(before: number): void {
    watched = false;
    if (begun === before && waiting.size > 0 && underWay < UNDER_WAY_MAX) void ask();
    askSoon();
  }

  return (key) => {
    const known = waiting.get(key);
    if (known !== undefined) return known.answer;
    const { promise: answer, resolve, reject } = Promise.withResolvers<Answer>();
    waiting.set(key, { answer, resolve, reject });
    askSoon();
    return answer;
  };
}
