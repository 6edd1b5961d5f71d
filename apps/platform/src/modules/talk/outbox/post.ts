/** What one try came to. `retry`: nothing says that the receiver has it. `dead`: no repeat can help. `moot`: there is no receiver, or no need, any more. */
export type Outcome =
  | { readonly is: "done"; readonly answer: string }
  | { readonly is: "retry"; readonly answer: string; readonly afterMs?: number }
  | { readonly is: "dead" | "moot"; readonly answer: string };

/** The whole of one try, from the name lookup to the status, ms. */
const TRY_MS_MAX = 10_000;
const AFTER_MS_MAX = 3_600_000;

/** What receivers of a channel answer when they want no more: no repeat can help. */
type PostRules = { readonly gone: readonly number[] };

/**
 * Sends one POST to exactly this address: a redirect is not followed, the answer's body is not read, and a receiver that is slow is cut off.
 * Never throws. `signal`: the platform ends.
 */
export async function post(
  href: string,
  given: {
    readonly headers: Readonly<Record<string, string>>;
    readonly body: string | Buffer;
    readonly signal: AbortSignal;
    readonly tryMs?: number;
  },
  { gone }: PostRules,
): Promise<Outcome> {
  try {
    const answer = await fetch(href, {
      method: "POST",
      headers: given.headers,
      body: typeof given.body === "string" ? given.body : new Uint8Array(given.body),
      redirect: "manual",
      signal: AbortSignal.any([given.signal, AbortSignal.timeout(given.tryMs ?? TRY_MS_MAX)]),
    });
    await answer.body?.cancel().catch(() => undefined);
    const { status } = answer;
    if (answer.ok) return { is: "done", answer: String(status) };
    if (gone.includes(status)) return { is: "dead", answer: String(status) };
    if (status >= 300 && status < 400) return { is: "retry", answer: `${status}: a redirect is not followed` };
    const afterMs = retryAfter(answer.headers.get("retry-after"));
    return { is: "retry", answer: String(status), ...(afterMs !== null && { afterMs }) };
  } catch (error) {
    return { is: "retry", answer: failureOf(error) };
  }
}

/** Seconds alone: a date would be judged by a clock that is not ours. */
function retryAfter(header: string | null): number | null {
  return header !== null && /^\d{1,6}$/.test(header) ? Math.min(Number(header) * 1_000, AFTER_MS_MAX) : null;
}

function failureOf(error: unknown): string {
  if (!(error instanceof Error)) return "failed";
  if (error.name === "TimeoutError") return "no answer in time";
  if (error.name === "AbortError") return "the platform ended meanwhile";
  const code = (error.cause as { code?: unknown } | undefined)?.code;
  return typeof code === "string" ? code : error.message;
}
