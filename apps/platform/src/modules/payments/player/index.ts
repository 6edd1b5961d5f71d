import type { PaymentKind } from "@longarm/contract/payments";
import { DESK } from "@longarm/contract/payments";
import type { Payment, PaymentsAnswer } from "@longarm/contract/player-payments";
import { paymentCalls as calls, PAYMENTS_SHOWN } from "@longarm/contract/player-payments";
import { runTransaction } from "@longarm/database/run-transaction";
import { playerAccount } from "@longarm/ledger/rules/address";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import type { ZodTypeProvider } from "fastify-type-provider-zod";
import type { PlatformDeps } from "../../../deps.ts";
import { failureOf, sendProblem } from "../../../plugins/problems.ts";
import type { SettingsFile } from "../../../plugins/settings-file.ts";
import type { RepeatedLook } from "../../../repeat-look.ts";
import type { Guard } from "../../players/auth/index.ts";
import { callerOf } from "../../players/auth/index.ts";
import type { PaymentRow } from "../book/index.ts";
import { AT_DESK, paymentsOf, providerPartsOf } from "../book/index.ts";
import { depositLeft, paymentProblem } from "../may-move.ts";
import type { InPlaceOfHttp, Providers } from "../provider/index.ts";
import { openProviders } from "../provider/index.ts";
import { cancelOwn, createPaymentEnds, mayCancel, mayTakeBack, requestOnce, waysOf } from "./requests.ts";

const BODY_BYTES_MAX = 1_024;

type Parts = PlatformDeps & {
  /** ISO 4217. */
  readonly currency: () => string;
  readonly providers: Pick<Providers, "begin">;
};

/** Money that the caller adds or withdraws: what there is, a new one, and its end. Answers what ends those whose time is over, and calls providers. */
export function createPayments(
  given: PlatformDeps & InPlaceOfHttp,
  app: FastifyInstance,
  guard: Guard,
  { ofFile }: Pick<SettingsFile, "ofFile">,
): RepeatedLook {
  const providers = openProviders(given, app);
  const parts: Parts = { ...given, providers, currency: () => ofFile().currency };
  const { kysely } = parts.db;
  const typed = app.withTypeProvider<ZodTypeProvider>();
  const answer = async (reply: FastifyReply, playerId: string) =>
    reply.header("cache-control", "no-store").send(await answerOf(parts, playerId));
  typed.get(`/v1/${calls.payments.path}`, { onRequest: guard }, async (request, reply) =>
    answer(reply, callerOf(request).playerId),
  );
  const post = { onRequest: guard, bodyLimit: BODY_BYTES_MAX };
  typed.post(
    `/v1/${calls.requestPayment.path}`,
    { ...post, schema: { body: calls.requestPayment.body } },
    async (request, reply) => {
      const { playerId } = callerOf(request);
      const wish = { ...request.body, returnUrl: returnUrl(parts, request) };
      const { problem, isNewAt } = await runTransaction(kysely, (trx) => requestOnce(parts, trx, playerId, wish));
      if (problem !== null) return sendProblem(reply, problem);
      // The provider's page comes with this answer. Where it fails, the next look says it again.
      if (isNewAt !== undefined)
        await parts.providers.begin(isNewAt).catch((error: unknown) => parts.log.warn({ err: error }, "not begun"));
      if (request.body.kind === "withdrawal") parts.bus.publish("balance.changed", { playerId });
      return await answer(reply, playerId);
    },
  );
  typed.post(
    `/v1/${calls.cancelPayment.path}`,
    { ...post, schema: { body: calls.cancelPayment.body } },
    async (request, reply) => {
      const { playerId } = callerOf(request);
      const ended = await runTransaction(kysely, (trx) => cancelOwn(parts, trx, playerId, request.body.payment));
      if (ended === undefined)
        return sendProblem(reply, { name: "request.invalid", detail: "the caller has no such payment" }, 404);
      if (!ended) return sendProblem(reply, { name: "payment.over" });
      parts.bus.publish("balance.changed", { playerId });
      return await answer(reply, playerId);
    },
  );
  const ends = createPaymentEnds({ ...parts, db: kysely });
  return {
    look: ends.look,
    start() {
      ends.start();
      providers.start();
    },
    close: async () => void (await Promise.all([ends.close(), providers.close()])),
  };
}

async function answerOf(parts: Parts, playerId: string): Promise<PaymentsAnswer> {
  const { kysely } = parts.db;
  const closed = async (kind: PaymentKind) => {
    const problem = await paymentProblem(kysely, playerId, { kind });
    return problem === null ? null : failureOf(problem);
  };
  const takesBack = await mayTakeBack(kysely, playerId);
  const rows = await paymentsOf(kysely, playerId, PAYMENTS_SHOWN);
  const ofProviders = await providerPartsOf(
    kysely,
    rows.filter(({ way }) => way !== DESK).map(({ id }) => id),
  );
  const { availableMinor } = await parts.ledger.account(playerAccount(playerId));
  return {
    now: new Date(parts.clock.now()).toISOString(),
    ways: waysOf(parts),
    depositClosed: await closed("deposit"),
    depositLeft: await depositLeft(kysely, playerId),
    withdrawalClosed: await closed("withdrawal"),
    available: Math.max(0, availableMinor),
    payments: rows.map((row) => shown(row, takesBack, ofProviders.get(row.id))),
  };
}

/** Where a provider's page sends the player at its end: the wallet, and nothing that signs anybody in. */
const returnUrl = ({ config }: Pick<Parts, "config">, { protocol, host }: FastifyRequest): string =>
  `${config.publicUrl ?? `${protocol}://${host}`}/wallet`;

type OfProvider = { readonly url: string | null; readonly endsBack: boolean };

function shown(row: PaymentRow, takesBack: boolean, ofProvider?: OfProvider): Payment {
  const { id, kind, way, amount, moved, state, reason } = row;
  const isPayable = way === DESK && (AT_DESK as readonly string[]).includes(state);
  const isEnding = ofProvider?.endsBack === true;
  return {
    ...{ id, kind, way, amount, moved, reason },
    // Its time is over and no look has ended it yet: the desk does not accept it any more.
    state: isPayable && row.isOver ? "expired" : state,
    madeAt: row.madeAt.toISOString(),
    at: row.at.toISOString(),
    until: isPayable ? (row.expiresAt?.toISOString() ?? null) : null,
    code: isPayable && !row.isOver ? row.code : null,
    url: state === "requested" && !isEnding ? (ofProvider?.url ?? null) : null,
    mayCancel: !row.isOver && !isEnding && mayCancel(row, takesBack),
  };
}
