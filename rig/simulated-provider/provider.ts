/*
 * A provider of payments that keeps the contract of docs/operating/payment-provider.md. It shares nothing with the platform but that page: what it gets is
 * checked here anew, so that a mistake of one side is not a mistake of both.
 */

export type SimulatedState =
  | "open"
  | "authorised"
  | "captured"
  | "refused"
  | "reversed"
  | "chargedBack"
  | "paid"
  | "failed";

type Payment = {
  readonly id: string;
  readonly call: "deposit" | "withdraw" | "reverse";
  readonly player: string;
  readonly amount: number;
  readonly currency: string;
  readonly returnUrl: string;
  state: SimulatedState;
  reason?: string;
};

/** How far a payment is, as this provider says it. */
export type Status = {
  readonly id: string;
  readonly state: string;
  readonly amount?: number;
  readonly currency?: string;
  readonly url?: string;
  readonly reason?: string;
};
/** HTTP status and body. */
export type Answered = { readonly status: number; readonly body: object };

export type SimulatedProviderOptions = {
  /** What a new deposit and a new withdrawal become at once. */
  readonly deposits?: SimulatedState;
  readonly withdrawals?: SimulatedState;
  /** Where the pages of this provider are, ending in `/`. */
  readonly pages?: () => string;
  /** A state has changed: it is to be reported. */
  readonly changed?: (status: Status) => void;
};

export class SimulatedProvider {
  readonly #payments = new Map<string, Payment>();
  readonly #options: SimulatedProviderOptions;
  /** What new deposits and withdrawals become; may be changed at any time. */
  deposits: SimulatedState;
  withdrawals: SimulatedState;

  constructor(options: SimulatedProviderOptions = {}) {
    this.#options = options;
    this.deposits = options.deposits ?? "open";
    this.withdrawals = options.withdrawals ?? "open";
  }

  /** Every payment by its id, with what it is now. */
  payments(): ReadonlyMap<string, Readonly<Payment>> {
    return this.#payments;
  }
  stateOf(id: string): SimulatedState | undefined {
    return this.#payments.get(id)?.state;
  }
  /** What it has of players: taken in, less paid out, minor units. */
  total(): number {
    let sum = 0;
    for (const { call, state, amount } of this.#payments.values()) {
      if (call === "deposit" && state === "captured") sum += amount;
      if (call === "withdraw" && state === "paid") sum -= amount;
    }
    return sum;
  }

  /** Something happens outside: the player pays or refuses at the page, a bank answers or takes its money back. */
  become(id: string, state: SimulatedState, reason?: string): void {
    const payment = this.#payments.get(id);
    if (payment === undefined || payment.state === state) return;
    payment.state = state;
    if (reason !== undefined) payment.reason = reason;
    this.#options.changed?.(this.#status(payment));
  }

  /** One call, once it is known to be the platform's. */
  take(call: string, given: unknown): Answered {
    if (typeof given !== "object" || given === null) return { status: 400, body: {} };
    const { id, player, amount, currency, returnUrl } = given as Record<string, unknown>;
    if (typeof id !== "string") return { status: 400, body: {} };
    const known = this.#payments.get(id);
    if (call === "status")
      return { status: 200, body: known === undefined ? { id, state: "unknown" } : this.#status(known) };
    if (typeof amount !== "number" || !Number.isSafeInteger(amount) || amount <= 0 || typeof currency !== "string")
      return { status: 400, body: {} };
    if (known && (known.amount !== amount || known.currency !== currency)) return { status: 409, body: {} };
    if (call === "deposit" || call === "withdraw") {
      if (typeof player !== "string" || (call === "deposit" && typeof returnUrl !== "string"))
        return { status: 400, body: {} };
      if (known && known.call !== "reverse" && known.call !== call) return { status: 409, body: {} };
      return this.#answer(known ?? this.#add({ id, call, player, amount, currency, returnUrl: String(returnUrl) }));
    }
    if (call === "capture") {
      if (known?.call !== "deposit") return { status: 404, body: {} };
      if (known.state === "authorised") this.become(id, "captured");
      return this.#answer(known);
    }
    if (call !== "reverse") return { status: 404, body: {} };
    // It came before its deposit, which is refused when it comes.
    const reversed = known ?? this.#add({ id, call, player: "", amount, currency, returnUrl: "" });
    if (reversed.call === "withdraw") return { status: 409, body: {} };
    if (reversed.state === "captured") this.become(id, "reversed");
    if (reversed.state === "open" || reversed.state === "authorised") this.become(id, "refused");
    return this.#answer(reversed);
  }

  #add(of: Omit<Payment, "state">): Payment {
    const first = { deposit: this.deposits, withdraw: this.withdrawals, reverse: "refused" as const }[of.call];
    const payment: Payment = { ...of, state: first };
    this.#payments.set(of.id, payment);
    if (first !== "open" && of.call !== "reverse") this.#options.changed?.(this.#status(payment));
    return payment;
  }

  #answer(payment: Payment): Answered {
    return { status: 200, body: this.#status(payment) };
  }

  #status({ id, state, amount, currency, reason, call }: Payment): Status {
    const pages = this.#options.pages?.();
    const hasPage = state === "open" && call === "deposit" && pages !== undefined;
    return {
      ...{ id, state, amount, currency },
      ...(hasPage && { url: `${pages}${id}` }),
      ...(reason !== undefined && { reason }),
    };
  }
}
