import { createHmac, timingSafeEqual } from "node:crypto";

/*
 * An operator's wallet that keeps the contract of docs/operating/remote-wallet.md. It shares nothing with the platform but that page: what it gets is
 * checked here anew, so that a mistake of one side is not a mistake of both.
 */

type Movement = {
  readonly call: string;
  readonly player: string;
  readonly amount: number;
  answer: object;
  undone: boolean;
};

/** What the wallet answers: HTTP status and body. */
export type Answered = { readonly status: number; readonly body: object };

const refused = (reason: string): Answered => ({ status: 200, body: { is: "refused", reason } });

export class SimulatedWallet {
  readonly #balances = new Map<string, number>();
  readonly #movements = new Map<string, Movement>();
  readonly #locked = new Set<string>();

  /** Opens an account, or sets its balance, minor units. */
  setBalance(player: string, balance: number): void {
    this.#balances.set(player, balance);
  }
  lock(player: string): void {
    this.#locked.add(player);
  }
  balanceOf(player: string): number {
    return this.#balances.get(player) ?? 0;
  }
  /** What every player has together, minor units. */
  total(): number {
    return [...this.#balances.values()].reduce((sum, one) => sum + one, 0);
  }

  /** Debits and credits by id, with those that were undone or whose undo came first. */
  movements(): ReadonlyMap<string, Readonly<Movement>> {
    return this.#movements;
  }

  /** One call, once it is known to be the platform's. */
  take(call: string, given: unknown): Answered {
    if (typeof given !== "object" || given === null) return { status: 400, body: {} };
    const { player, id, amount } = given as Record<string, unknown>;
    if (typeof player !== "string") return { status: 400, body: {} };
    if (call === "balance") {
      const balance = this.#balances.get(player);
      return balance === undefined ? { status: 404, body: {} } : { status: 200, body: { balance } };
    }
    const isMovement =
      typeof id === "string" && typeof amount === "number" && Number.isSafeInteger(amount) && amount > 0;
    if (!isMovement) return { status: 400, body: {} };
    if (call === "undo") return this.#undo(id, player, amount);
    if (call !== "debit" && call !== "credit") return { status: 404, body: {} };
    const known = this.#movements.get(id);
    if (known) {
      const isSame = known.call === call && known.player === player && known.amount === amount;
      if (!isSame) return { status: 409, body: { problem: "this id is of another movement" } };
      return known.undone ? refused("notNow") : { status: 200, body: known.answer };
    }
    const balance = this.#balances.get(player);
    if (call === "debit") {
      if (balance === undefined) return refused("unknownPlayer");
      if (this.#locked.has(player)) return refused("locked");
      if (balance < amount) return refused("insufficient");
    }
    // A credit is taken for every player, whatever has become of the account.
    const after = (balance ?? 0) + (call === "debit" ? -amount : amount);
    this.#balances.set(player, after);
    const answer = { is: "done", balance: after };
    this.#movements.set(id, { call, player, amount, answer, undone: false });
    return { status: 200, body: answer };
  }

  #undo(id: string, player: string, amount: number): Answered {
    const known = this.#movements.get(id);
    if (known === undefined) {
      // It came before its debit, which is refused when it comes.
      this.#movements.set(id, { call: "debit", player, amount, answer: {}, undone: true });
      return { status: 200, body: { is: "done", balance: this.balanceOf(player) } };
    }
    if (known.call !== "debit" || known.player !== player || known.amount !== amount) return { status: 409, body: {} };
    if (!known.undone) {
      known.undone = true;
      this.#balances.set(player, this.balanceOf(player) + amount);
    }
    return { status: 200, body: { is: "done", balance: this.balanceOf(player) } };
  }
}

/** How far the platform's clock may be off, s. */
const WINDOW_S = 120;

/** Checks the signature of Standard Webhooks 1.0 over the bytes as they came. `seen`: calls that came before, which come no second time. */
export function isSigned(
  secret: string,
  headers: Readonly<Record<string, string | string[] | undefined>>,
  body: Buffer,
  nowS: number,
  seen: Set<string>,
): boolean {
  const [id, at, given] = ["webhook-id", "webhook-timestamp", "webhook-signature"].map((name) =>
    String(headers[name] ?? ""),
  );
  if (!id || !at || !/^\d{1,12}$/.test(at) || Math.abs(nowS - Number(at)) > WINDOW_S || seen.has(id)) return false;
  const key = Buffer.from(secret.replace(/^whsec_/, ""), "base64");
  const wanted = createHmac("sha256", key).update(`${id}.${at}.`).update(body).digest();
  const isOurs = (given ?? "").split(" ").some((one) => {
    const bytes = Buffer.from(one.replace(/^v1,/, ""), "base64");
    return bytes.length === wanted.length && timingSafeEqual(bytes, wanted);
  });
  if (isOurs) seen.add(id);
  return isOurs;
}
