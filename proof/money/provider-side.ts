import { PROVIDER_ANSWER_MS } from "@longarm/contract/payment-provider";
import type { PaymentKind, PaymentState } from "@longarm/contract/payments";
import { OPEN_PAYMENTS } from "@longarm/contract/payments";
import type { Ledger } from "@longarm/ledger/ledger";
import type { AnyDb } from "../../apps/platform/src/deps.ts";
import {
  listPayments,
  lockPayment,
  setLooked,
  troubledPayments,
} from "../../apps/platform/src/modules/payments/book/index.ts";
import type { AskProvider } from "../../apps/platform/src/modules/payments/provider/index.ts";
import { collectOwed } from "../../apps/platform/src/modules/payments/provider/index.ts";
import { approveReviewed, refuse } from "../../apps/platform/src/modules/staff/listener/payments.ts";
import type { SimulatedState, Status } from "../../rig/simulated-provider/provider.ts";
import { SimulatedProvider } from "../../rig/simulated-provider/provider.ts";
import type { CallWeather } from "./call-line.ts";
import { CallLine, FRIENDLY, TRAVEL_MS_MAX } from "./call-line.ts";
import type { Gate } from "./database.ts";
import type { Chance, Life, Schedule } from "./schedule.ts";

/** Providers of payments, each with an account of its own. */
export const PROVIDERS = ["acme", "bolt"] as const;

/**
 * Shares of reports that go wrong. `silent`: is never sent; of money that goes back, it only comes as late as a late one, because nothing but a report
 * says so, and the contract has it repeated until it was received. `twice`: comes two times. `late`: comes so much later that younger ones overtake it.
 * `wrong`: names another amount.
 */
type ReportWeather = { readonly silent: number; readonly twice: number; readonly late: number; readonly wrong: number };
export type ProviderWeather = { readonly calls: CallWeather; readonly reports: ReportWeather };
export const PROMPT: ProviderWeather = { calls: FRIENDLY, reports: { silent: 0, twice: 0, late: 0, wrong: 0 } };

const REPORT_FAULTS = ["silent", "twice", "late", "wrong"] as const;
const REPORT_LATE_MS_MAX = 20_000;
/** A report that was not taken is sent again after this time, so many times at most; of money that goes back, until it is taken. */
const REPEAT_MS = 2_000;
const REPEATS_MAX = 6;
/** How long a player is at the page of a provider, or a bank at a withdrawal; and when money goes back after it moved, ms. */
const DECIDES_MS_MAX = 12_000;
const BACK_MS_MAX = 15_000;
/** Shares: of pages that a player leaves alone, of money that goes back after it moved, of authorisations that lapse. */
const [LEFT_ALONE, GOES_BACK, LAPSES] = [0.05, 0.06, 0.05];

/** What a platform for which silence is no takes it for, by the call. */
const NO: Readonly<Record<string, string>> = { deposit: "refused", withdraw: "failed" };

type ProviderParts = {
  readonly name: string;
  readonly schedule: Schedule;
  readonly chance: Chance;
  readonly count: (fault: string) => void;
  /** A planted bug: a deposit or a withdrawal that was not answered for counts as refused. */
  readonly silenceIsNo: boolean;
  /** Delivers a report; resolves to what the platform answered, never when it dies meanwhile. */
  readonly report: (provider: string, status: Status) => Promise<number | undefined>;
};

/** A provider of payments with its players' pages and banks, on another computer: it lives on when the platform dies. */
export class ProviderSide {
  readonly name: string;
  readonly provider: SimulatedProvider;
  readonly #line: CallLine;
  readonly #parts: ProviderParts;
  /** Payments whose money went back after it had moved. */
  readonly #wentBack = new Set<string>();
  #reports = PROMPT.reports;
  #onItsWay = 0;

  constructor(parts: ProviderParts) {
    this.name = parts.name;
    this.#parts = parts;
    this.#line = new CallLine({ ...parts, to: "a provider", answerMs: PROVIDER_ANSWER_MS });
    this.provider = new SimulatedProvider({ changed: (status) => this.#changed(status) });
  }

  set weather({ calls, reports }: ProviderWeather) {
    this.#line.weather = calls;
    this.#reports = reports;
  }

  /** Whether a report is on its way, or something that was begun outside comes to its end. */
  get isBusy(): boolean {
    return this.#onItsWay > 0;
  }

  /** Calls as one life of the platform makes them. */
  askOf(life: Life): AskProvider {
    return async (call, body) => {
      const came = await this.#line.call(life, () => this.#take(call, body));
      const no = NO[call];
      const isNo = came.is === "nothing" && this.#parts.silenceIsNo && no !== undefined;
      return (isNo ? { is: "said", answer: { ...body, state: no } } : came) as Awaited<ReturnType<AskProvider>>;
    };
  }

  /** Every page that was left alone and every bank that waits decides now. */
  decideAll(): void {
    for (const { id } of this.provider.payments().values()) this.#decide(id);
  }

  #take(call: string, body: object) {
    const { chance } = this.#parts;
    const { id } = body as { id: string };
    const isNew = this.provider.stateOf(id) === undefined;
    this.provider.deposits = chance.pick(["open", "open", "open", "authorised", "captured", "refused"]);
    this.provider.withdrawals = chance.pick(["open", "open", "paid", "paid", "failed"]);
    const answer = this.provider.take(call, body);
    if (isNew && this.provider.stateOf(id) === "open" && !chance.hits(LEFT_ALONE))
      this.#later(chance.next() * DECIDES_MS_MAX, () => this.#decide(id));
    return answer;
  }

  #decide(id: string): void {
    const { chance } = this.#parts;
    const payment = this.provider.payments().get(id);
    if (payment?.state !== "open") return;
    const ends: readonly SimulatedState[] =
      payment.call === "withdraw"
        ? ["paid", "paid", "paid", "failed"]
        : ["captured", "captured", "captured", "authorised", "refused"];
    this.provider.become(id, chance.pick(ends));
  }

  #changed(status: Status): void {
    const { chance } = this.#parts;
    const next = {
      captured: chance.pick(["reversed", "chargedBack"] as const),
      paid: "failed",
      authorised: "refused",
    } as const;
    const to = next[status.state as keyof typeof next];
    if (to !== undefined && chance.hits(to === "refused" ? LAPSES : GOES_BACK))
      this.#later(chance.next() * BACK_MS_MAX, () => {
        if (String(this.provider.stateOf(status.id)) !== status.state) return;
        if (to !== "refused") this.#wentBack.add(status.id);
        this.provider.become(status.id, to);
      });
    this.#report(status);
  }

  #report(status: Status): void {
    const { chance, count } = this.#parts;
    let drawn = chance.next();
    const fault = REPORT_FAULTS.find((one) => {
      drawn -= this.#reports[one];
      return drawn < 0;
    });
    if (fault !== undefined) count(`report of a provider: ${fault}`);
    const isBack = this.#wentBack.has(status.id);
    if (fault === "silent" && !isBack) return;
    const lateMs = fault === "late" || fault === "silent" ? REPORT_LATE_MS_MAX : TRAVEL_MS_MAX;
    const said = fault === "wrong" ? { ...status, amount: (status.amount ?? 0) + 1 } : status;
    for (let copy = fault === "twice" ? 2 : 1; copy > 0; copy -= 1)
      this.#deliver(said, chance.next() * lateMs, isBack ? Number.POSITIVE_INFINITY : REPEATS_MAX);
  }

  #deliver(status: Status, inMs: number, left: number): void {
    this.#later(inMs, () => {
      let answer: number | undefined;
      void this.#parts.report(this.name, status).then((given) => {
        answer = given;
      });
      this.#later(REPEAT_MS, () => {
        if (answer !== 200 && left > 0) this.#deliver(status, 0, left - 1);
      });
    });
  }

  #later(ms: number, run: () => void): void {
    this.#onItsWay += 1;
    this.#parts.schedule.after(ms, () => {
      this.#onItsWay -= 1;
      run();
    });
  }
}

const STAFF = "staff:proof";

/** Staff looks at one withdrawal that is reviewed: lets it go, or refuses it. */
export async function reviewOne(
  trx: AnyDb,
  ledger: Ledger,
  { at, approves }: { readonly at: number; readonly approves: boolean },
): Promise<void> {
  const open = await listPayments(trx, { state: "open", limit: 200 });
  const reviewed = open.filter(({ state }) => state === "inReview");
  const row = await lockPayment(trx, reviewed[at % reviewed.length]?.id ?? "");
  if (row?.state !== "inReview") return;
  if (approves) await approveReviewed(trx, { payment: row.id, provider: row.way, amount: row.amount }, STAFF);
  else await refuse({ ledger }, trx, row, { to: "refused", by: STAFF, reason: "refused by staff" });
}

/** Staff looks at what a task calls it to. `id`: of what is taken towards what is owed. */
export async function settleOne(trx: AnyDb, ledger: Ledger, id: string): Promise<void> {
  const [troubled] = await troubledPayments(trx, 1);
  const row = troubled && (await lockPayment(trx, troubled.id));
  if (row === undefined) return;
  await collectOwed(trx, ledger, row, { id, actor: STAFF, reason: "looked at" });
  await setLooked(trx, row.id, STAFF);
}

/** A payment as the player's page knows it. `isTaken`: what the first answer said; undefined: there was none. */
export type PaymentAsk = {
  readonly id: string;
  readonly kind: PaymentKind;
  readonly way: string;
  readonly amount: number;
  isTaken: boolean | undefined;
  repeated: boolean;
};

type Parties = {
  readonly providers: readonly ProviderSide[];
  readonly visitors: readonly { readonly playerId: string; readonly payments: readonly PaymentAsk[] }[];
  readonly gate: Pick<Gate, "read">;
};
export type PaymentLine = {
  readonly id: string;
  readonly requestId: string;
  readonly player: string;
  readonly kind: PaymentKind;
  readonly way: string;
  readonly amount: number;
  readonly state: PaymentState;
  readonly transferId: string | null;
  readonly wants: string | null;
  readonly trouble: string | null;
  readonly looked: boolean;
};

/** Every payment through a provider, as the platform has it. */
export const paymentLines = async ({ gate }: Pick<Parties, "gate">): Promise<PaymentLine[]> =>
  await gate.read<PaymentLine>(
    `select p.id, p.request_id as "requestId", p.player_id as player, p.kind, p.way, p.amount, p.state, p.transfer_id as "transferId",
       r.wants, r.trouble, r.looked_at is not null as looked
     from payment p left join provider_payment r on r.payment_id = p.id order by p.id`,
  );

/** What is not at its end yet. What needs a person is found as a task finds it, or it would stay here for ever. */
export async function providerUnrest(parties: Parties): Promise<string[]> {
  if (parties.providers.length === 0) return [];
  const rows = await paymentLines(parties);
  const open = rows.filter(
    ({ state, wants, trouble, looked }) =>
      (OPEN_PAYMENTS as readonly string[]).includes(state) || wants !== null || (trouble !== null && !looked),
  );
  return [
    ...parties.providers.filter(({ isBusy }) => isBusy).map(({ name }) => `${name} has something on its way`),
    ...open.map(({ id, kind, ...row }) => `the ${kind} ${id} is ${JSON.stringify(row)}`),
  ];
}

type Moved = {
  readonly id: string;
  readonly kind: string;
  readonly amount: number;
  readonly payment: string | null;
  readonly origin: string;
  readonly target: string;
};

/**
 * Each payment has the same end in our rows, in our ledger and in its provider's own memory; none of the three has one that the others have not, and
 * the account of each provider is what the provider says, to the last unit.
 */
export async function providerWrong(parties: Parties): Promise<string[]> {
  const { providers, gate } = parties;
  if (providers.length === 0) return [];
  const rows = await paymentLines(parties);
  const moves = await gate.read<Moved>(
    `select t.id, t.kind, t.amount_minor as amount, t.about ->> 'payment' as payment, f.address as origin, o.address as target
     from ledger.transfers t join ledger.accounts f on f.id = t.from_account join ledger.accounts o on o.id = t.to_account
     where f.address like 'provider:%' or o.address like 'provider:%'`,
  );
  const byPayment = Map.groupBy(moves, ({ payment }) => payment ?? "");
  const wrong: string[] = [];
  for (const row of rows) {
    const there = providers
      .find(({ name }) => name === row.way)
      ?.provider.payments()
      .get(row.id);
    wrong.push(...lineWrong(row, there, byPayment.get(row.id) ?? []));
    byPayment.delete(row.id);
  }
  for (const [payment, strays] of byPayment) wrong.push(`${strays.length} moves of a provider belong to "${payment}"`);
  const known = new Set(rows.map(({ id }) => id));
  for (const { name, provider } of providers) {
    for (const id of provider.payments().keys())
      if (!known.has(id)) wrong.push(`${name} has ${id}, which is not written down here`);
    const [account] = await gate.read<{ balance: number }>(
      "select balance_minor as balance from ledger.accounts where address = $1",
      [`provider:${name}`],
    );
    if (-(account?.balance ?? 0) !== provider.total())
      wrong.push(`${name} has ${provider.total()}, and its account is ${account?.balance ?? 0}`);
  }
  return [...wrong, ...pagesWrong(parties, rows)];
}

/** What each end of a provider is here: of what was booked, and of what never was. */
const ENDS: Readonly<Record<string, readonly PaymentState[]>> = {
  captured: ["captured"],
  paid: ["paid"],
  failed: ["failed"],
  refused: ["refused", "cancelled", "expired"],
  reversed: ["reversed", "refused", "cancelled", "expired"],
  chargedBack: ["chargedBack", "reversed", "refused", "cancelled", "expired"],
};

type There = { readonly call: string; readonly player: string; readonly amount: number; readonly state: string };

/** Of what a provider has of a payment, what is the players', minor units: nothing that was refused, and nothing that went back. */
function keptOf({ call, state, amount }: Pick<There, "call" | "state" | "amount">): number {
  if (call === "deposit" && state === "captured") return amount;
  return call === "withdraw" && state === "paid" ? -amount : 0;
}

function lineWrong(row: PaymentLine, there: There | undefined, moves: readonly Moved[]): string[] {
  const { id, kind, amount, state, transferId, trouble, way, player } = row;
  const wrong: string[] = [];
  const isSame =
    there === undefined
      ? transferId === null && state !== "sent"
      : (ENDS[there.state] ?? []).includes(state) &&
        there.amount === amount &&
        (there.call === "reverse" ||
          (there.player === player && (there.call === "withdraw") === (kind === "withdrawal")));
  if (!isSame) wrong.push(`the ${kind} ${id} of ${amount} is ${state} here, and ${JSON.stringify(there)} at ${way}`);
  const account = `provider:${way}`;
  const net = moves.reduce((sum, one) => sum + (one.origin === account ? one.amount : -one.amount), 0);
  const kept = there === undefined ? 0 : keptOf(there);
  if (net !== kept) wrong.push(`${way} keeps ${kept} of ${id}, and the ledger moved ${net}: ${JSON.stringify(moves)}`);
  const first = moves.filter((one) => one.kind === "deposit" || one.kind === "withdraw");
  if (first.length > 1 || first[0]?.id !== (transferId ?? undefined))
    wrong.push(`the ${kind} ${id} was booked by ${first.map((one) => one.id).join()}, and says ${transferId}`);
  const wentBack = kind === "deposit" && transferId !== null && state !== "captured";
  if (trouble === "contradicts" || (trouble === "wentBack") !== wentBack)
    wrong.push(`staff was called to the ${kind} ${id}, which is ${state}, by "${trouble}"`);
  return wrong;
}

/** What a page was answered is true: of what was taken there is one payment, of what was refused none. */
function pagesWrong({ visitors }: Parties, rows: readonly PaymentLine[]): string[] {
  const byRequest = new Map(rows.map((row) => [`${row.player} ${row.requestId}`, row]));
  const wrong: string[] = [];
  for (const { playerId, payments } of visitors)
    for (const { id, kind, way, amount, isTaken, repeated } of payments) {
      const row = byRequest.get(`${playerId} ${id}`);
      byRequest.delete(`${playerId} ${id}`);
      const isIts = row !== undefined && row.kind === kind && row.way === way && row.amount === amount;
      if (isTaken === true ? !isIts : row !== undefined && (!isIts || (isTaken === false && !repeated)))
        wrong.push(`the page was answered ${isTaken} for the ${kind} ${id}, and it is ${JSON.stringify(row)}`);
    }
  for (const row of byRequest.values()) wrong.push(`no page requested the ${row.kind} ${row.id}`);
  return wrong;
}

/** What each player has brought by way of providers, less what was taken out, by the providers' own memory. */
export function broughtBy({ providers }: Pick<Parties, "providers">): ReadonlyMap<string, number> {
  const brought = new Map<string, number>();
  for (const { provider } of providers)
    for (const payment of provider.payments().values())
      brought.set(payment.player, (brought.get(payment.player) ?? 0) + keptOf(payment));
  return brought;
}
