import { When } from "@longarm/contract/staff-call";
import type { ApprovalKind } from "@longarm/contract/staff-rights";
import { databaseTime } from "@longarm/database/clock";
import { playerAccount } from "@longarm/ledger/rules/address";
import * as z from "zod/mini";
import { newId } from "../../../random.ts";
import { explainDifference, plannedPostings } from "../../play/books/index.ts";
import { deskDiscrepancies, deskHandPays, deskUnresolved } from "../../play/desk/index.ts";
import type { PlayTables } from "../../play/tables.ts";
import { noteRefusal } from "../../protection/care/index.ts";
import { staffActor } from "../../records/audit/index.ts";
import type { StaffTransaction } from "../accounts/index.ts";
import { wholeOf } from "../accounts/index.ts";
import type { HandPayOrder } from "../desk/index.ts";
import {
  checkMayMove,
  closeShift,
  findOwed,
  findReceipt,
  findSlip,
  heldFor,
  listShifts,
  lockAtDesk,
  lockShift,
  movedAlone,
  moveMoney,
  openShift,
  openShiftOf,
  paidAtDesk,
  payByHand,
  slipKey,
  slipsOf,
  voidSlip,
  waitAtDesk,
  writeReceipt,
} from "../desk/index.ts";
import type { After } from "../sign-in/index.ts";
import { APPROVAL_MS, doAct, Refused, requestApproval } from "../sign-in/index.ts";
import type { ActsDeps, Executes } from "./desk.ts";
import { askOrRefuse, dayBegan } from "./desk.ts";
import { idIn } from "./floor.ts";
import { approveReviewed, ReviewContent } from "./payments.ts";
import { listed } from "./people.ts";
import type { Handlers, Incoming } from "./routes.ts";

/** The cage, hand pays, unresolved transfers and discrepancies. */
export function moneyHandlers(deps: ActsDeps): Handlers {
  return {
    ...cage(deps),
    ...shifts(deps),
    ...handPays(deps),
    ...slips(deps),
    ...unresolved(deps),
    ...discrepancies(deps),
  };
}

/** What a second signature lets happen with money. */
export function moneyExecutes(deps: ActsDeps): Executes {
  return {
    "wallet.deposit": (trx, content, signed) => executeMove(deps, trx, content, signed),
    // Cash out of a drawer, or a reviewed withdrawal that a provider pays.
    "wallet.withdrawal": async (trx, content, signed) => {
      if (!("provider" in content)) return await executeMove(deps, trx, content, signed);
      const { actor } = await payerOf(trx, signed.requestedBy);
      await approveReviewed(wholeOf(trx), z.parse(ReviewContent, content), staffActor(actor));
    },
    "handPay.pay": async (trx, content, { requestedBy, signedBy, after }) => {
      const order = z.parse(HandPayContent, content);
      const by = await payerOf(trx, requestedBy);
      const { slip } = await payByHand(trx, deps.ledger, order, { by, signedBy, onePerson: false });
      if (slip === null || slip.signedBy?.id !== signedBy) throw new Refused("approval.changed");
      after.push(() => resetMachine(deps, order, by.actor));
    },
    "handPay.void": async (trx, content, { requestedBy, reason, after }) => {
      const { number } = z.parse(VoidContent, content);
      const { actor } = await payerOf(trx, requestedBy);
      const { playerId } = await voidSlip(trx, deps.ledger, { number, by: requestedBy, actor, reason });
      announceBalance(deps, after, playerId);
    },
    "discrepancy.explain": async (trx, content, { requestedBy, reason, after }) => {
      const order = z.parse(ExplainContent, content);
      const { actor } = await payerOf(trx, requestedBy);
      await explain(deps, trx, after, { ...order, reason, by: actor });
    },
  };
}

/** A member of staff as slips and the ledger name one. */
async function payerOf(trx: StaffTransaction, staffId: string): Promise<{ id: string; actor: string }> {
  const { username } = await trx
    .selectFrom("staff")
    .select("username")
    .where("id", "=", staffId)
    .executeTakeFirstOrThrow();
  return { id: staffId, actor: username };
}

function announceBalance({ bus }: ActsDeps, after: After, playerId: string | null): void {
  if (playerId !== null) after.push(async () => bus.publish("balance.changed", { playerId }));
}

/** The number of an address. @throws Refused. */
function numberIn(params: Readonly<Record<string, string>>, kind: string): number {
  const text = params["number"] ?? "";
  if (!/^\d{1,15}$/.test(text)) throw new Refused("thing.unknown", { kind });
  return Number(text);
}

const MoveContent = z.strictObject({
  kind: z.enum(["deposit", "withdraw"]),
  player: z.string(),
  amount: z.int(),
  reason: z.string(),
  receipt: z.nullable(z.string()),
  payment: z._default(z.nullable(z.string()), null),
  cashier: z.string(),
  shift: z.string(),
});
type MoveContent = z.output<typeof MoveContent>;

const MOVE_KINDS = { deposit: "wallet.deposit", withdraw: "wallet.withdrawal" } as const satisfies Record<
  string,
  ApprovalKind
>;

const RECEIPT_KINDS = { deposit: "deposit", withdraw: "withdrawal" } as const;

function cage(deps: ActsDeps): Handlers {
  const { db, random, ledger, secondPerson } = deps;
  const move =
    (kind: "deposit" | "withdraw") =>
    ({ act, caller, params, body }: Pick<Incoming<"deposit">, "act" | "caller" | "params" | "body">) =>
      doAct(deps, act(), async (trx, after) => {
        checkOurWallet(deps);
        const { staffId, limits } = caller();
        const { id: shift } = await lockShift(trx, staffId);
        const playerId = idIn(params, "player");
        const { amount, reason, receipt = null, payment = null } = body;
        const { username } = await checkMayMove(wholeOf(trx), { kind, playerId, amountMinor: amount });
        const content: MoveContent = {
          kind,
          player: playerId,
          amount,
          reason,
          receipt,
          payment,
          cashier: staffId,
          shift,
        };
        const requested = await paymentOf(trx, content);
        // The shift is locked: moves of one cashier count each other, so splitting one passes no limit.
        const since = dayBegan(await databaseTime(trx), deps);
        const alone = await movedAlone(trx, { cashier: staffId, kind: RECEIPT_KINDS[kind], since });
        if (!secondPerson || alone + amount <= (limits.wallet ?? 0)) {
          const done = await makeMove(deps, trx, content, { id: newId(random, "w"), signedBy: null });
          announceBalance(deps, after, playerId);
          return done;
        }
        const { availableMinor, balanceMinor } = await ledger.within(trx).account(playerAccount(playerId));
        if (requested !== null) await waitAtDesk(wholeOf(trx), requested, staffActor(caller().username), APPROVAL_MS);
        else if (kind === "withdraw" && availableMinor < amount)
          throw new Refused("wallet.insufficient", { available: availableMinor });
        const balanceAfter = kind === "deposit" ? balanceMinor + amount : balanceMinor - amount;
        return await requestApproval(trx, random, caller(), {
          kind: MOVE_KINDS[kind],
          subject: `player:${playerId}`,
          amount,
          reason,
          content,
          evidence: [
            { label: "player", value: username },
            { label: "before", value: null, amount: balanceMinor },
            { label: "after", value: null, amount: balanceAfter },
          ],
          would: { before: balanceMinor, after: balanceAfter, receipt: null },
        });
      });
  return {
    deposit: (incoming) =>
      move("deposit")(incoming).catch(async (error: unknown) => {
        const isRefused = error instanceof Refused && error.problem.name === "act.refused";
        if (isRefused && incoming.body.dryRun !== true) await noteFailed(deps, idIn(incoming.params, "player"));
        throw error;
      }),
    withdraw: move("withdraw"),
    receipt: async ({ params, caller }) => {
      const receipt = await findReceipt(db, numberIn(params, "receipt"));
      // A cashier prints their own; the permission for all shifts shows all receipts.
      const sees = receipt && (caller().permissions.has("shift.see") || receipt.cashier.id === caller().staffId);
      if (receipt === undefined || sees !== true) throw new Refused("thing.unknown", { kind: "receipt" });
      return receipt;
    },
  };
}

/** The desk moves money of our own wallets alone. @throws Refused. */
function checkOurWallet({ operatorWallet }: Pick<ActsDeps, "operatorWallet">): void {
  if (operatorWallet) throw new Refused("wallet.operators");
}

/** The payment that a move makes, locked; null: it is none of a code. @throws Refused. */
const paymentOf = async (trx: StaffTransaction, { payment, kind, player, amount }: MoveContent) =>
  payment === null ? null : await lockAtDesk(wholeOf(trx), { id: payment, kind, playerId: player, amount });

/** For those who look after players: a deposit was refused. What cannot be kept does not change the answer. */
async function noteFailed({ source, log }: Pick<ActsDeps, "source" | "log">, playerId: string): Promise<void> {
  await noteRefusal(source, playerId, "deposit").catch((error: unknown) =>
    log.error({ err: error, playerId }, "a refused deposit could not be kept"),
  );
}

/** Moves the money and writes the receipt. */
async function makeMove(
  { ledger, secondPerson }: ActsDeps,
  trx: StaffTransaction,
  content: MoveContent,
  { id, signedBy }: { readonly id: string; readonly signedBy: string | null },
) {
  const { kind, player, amount, reason, receipt, cashier, shift } = content;
  const { actor } = await payerOf(trx, cashier);
  const requested = await paymentOf(trx, content);
  const by = staffActor(actor).slice(0, 100);
  const moved = await moveMoney(wholeOf(trx), ledger.within(trx), {
    kind,
    id,
    playerId: player,
    amountMinor: amount,
    actor: by,
    reason,
    ...(requested && { holdId: heldFor(requested) }),
  });
  if (requested !== null) await paidAtDesk(wholeOf(trx), requested, { by, transferId: moved.transferId });
  const printed = await writeReceipt(trx, {
    transferId: moved.transferId,
    paper: receipt,
    kind: RECEIPT_KINDS[kind],
    playerId: player,
    amount,
    balance: moved.after,
    shiftId: shift,
    cashier,
    signedBy,
    reason,
    onePerson: !secondPerson,
  });
  return { before: moved.before, after: moved.after, receipt: printed };
}

const executeMove: (
  deps: ActsDeps,
  trx: StaffTransaction,
  content: Record<string, unknown>,
  signed: Parameters<Executes[string]>[2],
) => Promise<void> = async (deps, trx, content, { id, signedBy, after }) => {
  // Requested before players' money went to the operator's wallet.
  checkOurWallet(deps);
  const move = z.parse(MoveContent, content);
  // The cash goes in or out of the drawer in which it was requested.
  const shift = await lockShift(trx, move.cashier).catch(() => undefined);
  if (shift?.id !== move.shift) throw new Refused("approval.changed");
  await makeMove(deps, trx, move, { id, signedBy });
  announceBalance(deps, after, move.player);
};

function shifts(deps: ActsDeps): Handlers {
  const { db, random } = deps;
  return {
    myShift: async ({ caller }) => ({ shift: await openShiftOf(db, caller().staffId) }),
    openShift: ({ act, caller, body }) =>
      doAct(deps, act(), (trx) => openShift(trx, random, caller().staffId, { desk: body.desk, float: body.float })),
    closeShift: async ({ act, caller, body }) => {
      // It would answer what should be there, as often as it is called, before the count.
      if (body.dryRun === true) throw new Refused("request.invalid", { where: "dryRun" });
      const { counted, note } = body;
      return await doAct(deps, act(), (trx) => closeShift(trx, caller().staffId, { counted, note }));
    },
    shifts: async ({ query, caller }) => {
      const { day, after, limit } = query;
      const range = day === undefined ? {} : dayOf(day, deps);
      const rows = await listShifts(db, caller().staffId, { ...range, after, limit });
      return await listed(db, rows, rows.length === limit ? (rows.at(-1)?.id ?? null) : null);
    },
  };
}

/** The business day of this name: from its beginning in the venue's time zone, for a day. */
function dayOf(day: string, deps: ActsDeps): { from: Date; to: Date } {
  const noon = new Date(`${day}T12:00:00Z`);
  const from = dayBegan(noon, deps);
  return { from, to: new Date(from.getTime() + 86_400_000) };
}

const HandPayContent = z.strictObject({
  machineId: z.string(),
  handPayId: z.string(),
  machineAmount: z.int(),
  override: z.nullable(z.strictObject({ amount: z.int(), reason: z.string() })),
});
const VoidContent = z.strictObject({ number: z.int() });

/** Resets the machine and notifies the player; what is paid stays paid when the machine does not answer. */
async function resetMachine({ ask }: ActsDeps, { machineId, handPayId }: HandPayOrder, by: string): Promise<boolean> {
  const answer = await ask({ kind: "confirmHandPay", machineId, body: { handPayId, announce: true }, by });
  return answer.is === "done" && answer.reset === true;
}

function handPays(deps: ActsDeps): Handlers {
  const { db, source, random, ledger, secondPerson } = deps;
  return {
    handPays: async ({ query }) => {
      const { state, after, limit } = query;
      if (after !== undefined && !z.safeParse(When, after).success)
        throw new Refused("request.invalid", { where: "after" });
      const found = await deskHandPays(source, { state: state === "voided" ? "paid" : state, after, limit });
      const slips = await slipsOf(
        db,
        found.map(({ machine, handPay }) => ({ machineId: machine.id, handPayId: handPay })),
      );
      const rows = found.map(({ paidAt, ...row }) => {
        const slip = slips.get(slipKey(row.machine.id, row.handPay)) ?? null;
        const paid = slip?.state === "voided" ? ("voided" as const) : ("paid" as const);
        return { ...row, state: paidAt === null ? ("owed" as const) : paid, slip };
      });
      return await listed(
        db,
        state === "all" ? rows : rows.filter((row) => row.state === state),
        found.length === limit ? (found.at(-1)?.since ?? null) : null,
      );
    },
    payHandPay: async ({ act, caller, params, body }) => {
      let machineReset = false;
      const outcome = await doAct(deps, act(), async (trx, after) => {
        const { staffId, username, limits } = caller();
        const order: HandPayOrder = {
          machineId: idIn(params, "machine"),
          handPayId: body.handPay,
          machineAmount: body.machineAmount,
          override: body.override ?? null,
        };
        const owed = await findOwed(trx, order);
        if (owed.paidAt !== null) throw new Refused("act.refused", { sentence: "This hand pay was paid before." });
        const needsSecond = order.override !== null || Math.max(order.machineAmount, 0) > (limits.handPay ?? 0);
        if (secondPerson && needsSecond)
          return await requestApproval(trx, random, caller(), {
            kind: "handPay.pay",
            subject: `machine:${order.machineId}`,
            amount: order.override?.amount ?? order.machineAmount,
            reason: order.override?.reason ?? `hand pay above the limit of ${username}`,
            content: order,
            evidence: [
              { label: "machine", value: owed.machine.name },
              { label: "player", value: owed.player?.username ?? null },
              { label: "kind", value: owed.kind },
              { label: "owed", value: null, amount: owed.amount },
            ],
            would: { slip: null, machineReset },
          });
        const people = { by: { id: staffId, actor: username }, signedBy: null, onePerson: !secondPerson };
        const { slip } = await payByHand(trx, ledger, order, people);
        after.push(async () => {
          machineReset = await resetMachine(deps, order, username);
        });
        return { slip, machineReset };
      });
      return outcome.is === "done" ? { ...outcome, result: { ...outcome.result, machineReset } } : outcome;
    },
  };
}

function slips(deps: ActsDeps): Handlers {
  const { db, random, ledger, secondPerson } = deps;
  return {
    slip: async ({ params }) => {
      const slip = await findSlip(db, { number: numberIn(params, "slip") });
      if (slip === undefined) throw new Refused("thing.unknown", { kind: "slip" });
      return slip;
    },
    voidSlip: ({ act, caller, params, body }) =>
      doAct(deps, act(), async (trx, after) => {
        const number = numberIn(params, "slip");
        const slip = await findSlip(trx, { number });
        if (slip === undefined) throw new Refused("thing.unknown", { kind: "slip" });
        if (slip.state === "voided") throw new Refused("act.refused", { sentence: "This slip is void already." });
        if (!secondPerson) {
          const { staffId, username } = caller();
          const by = { number, by: staffId, actor: username, reason: body.reason };
          announceBalance(deps, after, (await voidSlip(trx, ledger, by)).playerId);
          return {};
        }
        return await requestApproval(trx, random, caller(), {
          kind: "handPay.void",
          subject: `slip:${number}`,
          amount: slip.paidAmount,
          reason: body.reason,
          content: { number },
          evidence: [
            { label: "machine", value: slip.machine.name },
            { label: "player", value: slip.player?.username ?? null },
            { label: "paid by", value: slip.paidBy.name },
            { label: "paid", value: slip.at, amount: slip.paidAmount },
          ],
        });
      }),
  };
}

function unresolved(deps: ActsDeps): Handlers {
  const { db, source } = deps;
  return {
    unresolved: async () => await listed(db, await deskUnresolved(source)),
    askAgain: async ({ act, caller, params }) => {
      const id = idIn(params, "transfer");
      const outcome = await doAct(deps, act(), async (trx, after) => {
        const [open] = await deskUnresolved(wholeOf(trx), id);
        if (open === undefined) throw new Refused("thing.unknown", { kind: "open transfer" });
        const machineId = open.machine.id;
        after.push(() => askOrRefuse(deps, { kind: "askTransfer", machineId, body: {}, by: caller().username }));
        return open;
      });
      if (outcome.is !== "done") return outcome;
      // Decided meanwhile: it is no longer open, and what was seen last is answered.
      return { ...outcome, result: (await deskUnresolved(source, id))[0] ?? outcome.result };
    },
  };
}

const ExplainContent = z.strictObject({
  number: z.int(),
  to: z.nullable(z.enum(["player", "house"])),
  inSuspense: z.int(),
});
type ExplainContent = z.output<typeof ExplainContent>;

/** Who owns the money, in the words of the books. */
const OWNERS = { player: "player", platform: "house", none: null } as const;

/** Explains it in the books. @throws Refused `approval.changed`: it is not what was requested any more. */
async function explain(
  deps: ActsDeps,
  trx: StaffTransaction,
  after: After,
  { number, to, inSuspense, reason, by }: ExplainContent & { readonly reason: string; readonly by: string },
): Promise<void> {
  const [now] = await deskDiscrepancies(wholeOf(trx), { state: "open", number, limit: 1 });
  if (now === undefined || now.inSuspense !== inSuspense) throw new Refused("approval.changed");
  const order = { id: number, reason, to, payMinor: null, by };
  const done = await explainDifference({ ledger: deps.ledger, trx: wholeOf(trx).withTables<PlayTables>() }, order);
  if (done.is === "refused") throw new Refused("act.refused", { sentence: done.sentence });
  after.push(() => deps.ask({ kind: "carryOut", machineId: done.machineId, body: {}, by }));
  if (to === "player") announceBalance(deps, after, done.playerId);
}

function discrepancies(deps: ActsDeps): Handlers {
  const { db, source, random, secondPerson } = deps;
  return {
    discrepancies: async ({ query }) => {
      const { state, after, limit } = query;
      const rows = await deskDiscrepancies(source, { state, after, limit });
      return await listed(db, rows, rows.length === limit ? String(rows.at(-1)?.number ?? "") : null);
    },
    discrepancy: async ({ params }) => {
      const number = numberIn(params, "discrepancy");
      const [row] = await deskDiscrepancies(source, { state: "all", number, limit: 1 });
      if (row === undefined) throw new Refused("thing.unknown", { kind: "discrepancy" });
      return row;
    },
    explainDiscrepancy: ({ act, caller, params, body }) =>
      doAct(deps, act(), async (trx, after) => {
        const number = numberIn(params, "discrepancy");
        const [row] = await deskDiscrepancies(wholeOf(trx), { state: "all", number, limit: 1 });
        if (row === undefined) throw new Refused("thing.unknown", { kind: "discrepancy" });
        if (row.state !== "open") throw new Refused("act.refused", { sentence: "It is explained already." });
        const to = OWNERS[body.owner];
        const { inSuspense } = row;
        // All that the books would refuse is refused before a second person is involved.
        if ((inSuspense !== 0) !== (to !== null))
          throw new Refused("act.refused", {
            sentence:
              inSuspense !== 0
                ? "Money of it is in suspense: say whose it is."
                : "No money of it is in suspense: it has no owner.",
          });
        if (to === "player" && row.player === null)
          throw new Refused("act.refused", { sentence: "The player of it is not known." });
        const postings = plannedPostings(inSuspense, to, row.player?.id ?? null);
        const content: ExplainContent = { number, to, inSuspense };
        if (!secondPerson) {
          await explain(deps, trx, after, { ...content, reason: body.reason, by: caller().username });
          return { postings };
        }
        return await requestApproval(trx, random, caller(), {
          kind: "discrepancy.explain",
          subject: `discrepancy:${number}`,
          amount: inSuspense,
          reason: body.reason,
          content,
          evidence: [
            { label: "machine", value: row.machine.name },
            { label: "ledger", value: null, amount: row.ledgerAmount },
            { label: "machine says", value: null, amount: row.machineAmount },
            ...row.lines.slice(0, 20).map(({ label, ledger, machine }) => ({
              label,
              value: `${ledger ?? "–"} / ${machine ?? "–"}`,
            })),
            ...postings.map(({ account, amount }) => ({ label: "posting", value: account, amount })),
          ],
          would: { postings },
        });
      }),
  };
}
