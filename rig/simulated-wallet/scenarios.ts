import { createHmac, randomUUID } from "node:crypto";

/*
 * What a wallet must do with the platform's calls, as ten scenarios that any wallet can be tried with (docs/operating/remote-wallet.md). They name no
 * balance: what the player has at the beginning is what the wallet says.
 */

/** Where the wallet is, what signs, and a player of it who has at least 10.00. */
export type TriedWallet = {
  readonly url: string;
  readonly secret: string;
  readonly player: string;
  readonly currency: string;
};

type Answer = { readonly status: number; readonly body: { readonly [key: string]: unknown } };
type Calls = {
  /** A signed call; the answer's status and body. */
  call(name: string, body: object): Promise<Answer>;
  unsigned(name: string, body: object): Promise<Answer>;
  /** An id that was never used. */
  newId(): string;
  readonly player: { readonly player: string; readonly currency: string };
};

/** Answers what the wallet did wrong; undefined: nothing. */
type Scenario = { readonly name: string; run(calls: Calls): Promise<string | undefined> };

const AMOUNT = 100;

async function balanceOf({ call, player }: Calls): Promise<number> {
  const { body } = await call("balance", player);
  return typeof body["balance"] === "number" ? body["balance"] : Number.NaN;
}

/** Runs what moves money, and compares the balance with what it should be. */
function moves(name: string, change: number, run: (calls: Calls) => Promise<(string | undefined)[]>): Scenario {
  return {
    name,
    async run(calls) {
      const before = await balanceOf(calls);
      const wrong = (await run(calls)).find((one) => one !== undefined);
      if (wrong !== undefined) return wrong;
      const after = await balanceOf(calls);
      return after === before + change
        ? undefined
        : `the balance went from ${before} to ${after}, not to ${before + change}`;
    },
  };
}

const wants = (what: string, { status, body }: Answer, isRight: boolean): string | undefined =>
  isRight ? undefined : `${what} was answered with HTTP ${status} ${JSON.stringify(body).slice(0, 200)}`;
const done = (what: string, answer: Answer) =>
  wants(what, answer, answer.status === 200 && answer.body["is"] === "done");
const refused = (what: string, answer: Answer, reason?: string) =>
  wants(
    what,
    answer,
    answer.status === 200 &&
      answer.body["is"] === "refused" &&
      (reason === undefined || answer.body["reason"] === reason),
  );

export const WALLET_SCENARIOS: readonly Scenario[] = [
  moves("A call without a signature does nothing", 0, async ({ unsigned, newId, player }) => {
    const answer = await unsigned("debit", { ...player, id: newId(), amount: AMOUNT, machine: "m" });
    return [wants("an unsigned debit", answer, answer.status >= 400 && answer.status < 500)];
  }),
  moves("The balance is a whole number of minor units, and looking moves nothing", 0, async (calls) => {
    const balance = await balanceOf(calls);
    return [Number.isSafeInteger(balance) && balance >= 0 ? undefined : `the balance is ${balance}`];
  }),
  moves("A debit takes its amount", -AMOUNT, async ({ call, newId, player }) => [
    done("a debit", await call("debit", { ...player, id: newId(), amount: AMOUNT, machine: "m" })),
  ]),
  moves("A credit gives its amount", AMOUNT, async ({ call, newId, player }) => [
    done("a credit", await call("credit", { ...player, id: newId(), amount: AMOUNT })),
  ]),
  moves("A debit of more than there is is refused", 0, async (calls) => {
    const amount = (await balanceOf(calls)) + 1;
    const answer = await calls.call("debit", { ...calls.player, id: calls.newId(), amount, machine: "m" });
    return [refused("a debit of too much", answer, "insufficient")];
  }),
  moves("A repeat is answered as the first time, and moves nothing again", -AMOUNT, async ({ call, newId, player }) => {
    const debit = { ...player, id: newId(), amount: AMOUNT, machine: "m" };
    const credit = { ...player, id: newId(), amount: 2 * AMOUNT };
    await call("debit", { ...debit, id: newId(), amount: 2 * AMOUNT });
    return [
      done("a debit", await call("debit", debit)),
      done("its repeat", await call("debit", debit)),
      done("a credit", await call("credit", credit)),
      done("its repeat", await call("credit", credit)),
    ];
  }),
  moves("Another content under a known id is refused with HTTP 409", -AMOUNT, async ({ call, newId, player }) => {
    const debit = { ...player, id: newId(), amount: AMOUNT, machine: "m" };
    const first = await call("debit", debit);
    const other = await call("debit", { ...debit, amount: AMOUNT + 1 });
    return [done("a debit", first), wants("another debit with its id", other, other.status === 409)];
  }),
  moves("An undo gives a debit back, once", 0, async ({ call, newId, player }) => {
    const movement = { ...player, id: newId(), amount: AMOUNT };
    return [
      done("a debit", await call("debit", { ...movement, machine: "m" })),
      done("its undo", await call("undo", movement)),
      done("the repeat of its undo", await call("undo", movement)),
      refused("the debit after its undo", await call("debit", { ...movement, machine: "m" })),
    ];
  }),
  moves(
    "An undo before its debit is done, and the debit is refused when it comes",
    0,
    async ({ call, newId, player }) => {
      const movement = { ...player, id: newId(), amount: AMOUNT };
      return [
        done("an undo without a debit", await call("undo", movement)),
        refused("the late debit", await call("debit", { ...movement, machine: "m" })),
        done("the repeat of the undo", await call("undo", movement)),
      ];
    },
  ),
  moves("Several at once each count once", -AMOUNT, async ({ call, newId, player }) => {
    const debit = { ...player, id: newId(), amount: AMOUNT, machine: "m" };
    const answers = await Promise.all([1, 2, 3, 4].map(() => call("debit", debit)));
    return answers.map((answer) => done("one of four equal debits", answer));
  }),
];

/** Tries a wallet with every scenario; what went wrong, by scenario. A wallet that does not answer is wrong too. */
export async function tryWallet(
  wallet: TriedWallet,
): Promise<readonly { readonly name: string; readonly wrong: string | undefined }[]> {
  const found: { name: string; wrong: string | undefined }[] = [];
  for (const { name, run } of WALLET_SCENARIOS) {
    const wrong = await run(callsOf(wallet)).catch((error: unknown) => `no answer: ${String(error).slice(0, 200)}`);
    found.push({ name, wrong });
  }
  return found;
}

const ANSWER_MS = 3_000;

function callsOf({ url, secret, player, currency }: TriedWallet): Calls {
  const post = async (name: string, body: string, headers: Record<string, string>): Promise<Answer> => {
    const response = await fetch(new URL(name, url.endsWith("/") ? url : `${url}/`), {
      method: "POST",
      headers: { "content-type": "application/json", ...headers },
      body,
      redirect: "manual",
      signal: AbortSignal.timeout(ANSWER_MS),
    });
    const answer: unknown = await response.json().catch(() => ({}));
    return { status: response.status, body: typeof answer === "object" && answer !== null ? { ...answer } : {} };
  };
  return {
    player: { player, currency },
    newId: () => `try-${randomUUID()}`,
    unsigned: (name, body) => post(name, JSON.stringify(body), {}),
    call(name, given) {
      const [id, at, body] = [randomUUID(), Math.floor(Date.now() / 1_000), JSON.stringify(given)];
      const key = Buffer.from(secret.replace(/^whsec_/, ""), "base64");
      const signature = createHmac("sha256", key).update(`${id}.${at}.${body}`).digest("base64");
      return post(name, body, {
        "webhook-id": id,
        "webhook-timestamp": String(at),
        "webhook-signature": `v1,${signature}`,
      });
    },
  };
}
