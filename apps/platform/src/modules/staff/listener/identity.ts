import type { PlayerIdentity } from "@longarm/contract/staff-identity";
import type { Kysely } from "kysely";
import * as z from "zod/mini";
import type { PlayersTables } from "../../players/accounts/index.ts";
import { findPlayer } from "../../players/accounts/index.ts";
import {
  closedGates,
  correctionOf,
  decisionsOf,
  IDENTITY_DECISIONS,
  identityOf,
} from "../../protection/identity/index.ts";
import { wholeOf } from "../accounts/index.ts";
import { decideAtDesk, decideSigned, eraseAtDesk, otherAccounts } from "../desk/index.ts";
import type { After } from "../sign-in/index.ts";
import { doAct, Refused, requestApproval } from "../sign-in/index.ts";
import type { ActsDeps, Executes } from "./desk.ts";
import { idIn } from "./floor.ts";
import type { Handlers } from "./routes.ts";

/** The most decisions that a page shows. */
const DECISIONS_MAX = 50;

/** The player of an address. @throws Refused. */
async function playerIn(source: Kysely<unknown>, params: Readonly<Record<string, string>>) {
  const player = await findPlayer(source.withTables<PlayersTables>(), idIn(params, "player"));
  if (player === undefined) throw new Refused("thing.unknown", { kind: "player" });
  return player;
}

/** Proof of identity and age: what is known, a decision, personal data shown once or erased. */
export function identityHandlers(deps: ActsDeps): Handlers {
  const { source, random, secondPerson } = deps;
  /** The player's page shows it at once, and a player who may not play any more is sent home. */
  const carryOut = (after: After, playerId: string, by: string) =>
    after.push(() => deps.ask({ kind: "player", body: { playerId }, by }));
  return {
    playerIdentity: async ({ params, caller }) =>
      await shownIdentity(source, (await playerIn(source, params)).id, caller().permissions.has("player.add")),
    revealIdentity: ({ act, params }) =>
      doAct(
        deps,
        act(),
        async (trx) => {
          const { id } = await playerIn(wholeOf(trx), params);
          const { birthDate, personalNumber } = await identityOf(trx, id);
          const waiting = await correctionOf(trx, id);
          const correction =
            waiting === undefined ? null : { birthDate: waiting.birthDate, personalNumber: waiting.personalNumber };
          return { birthDate, personalNumber, correction };
        },
        { secret: true },
      ),
    decideIdentity: ({ act, caller, params, body }) =>
      doAct(deps, act(), async (trx, after) => {
        const { id: playerId, username } = await playerIn(wholeOf(trx), params);
        const { state, validUntil = null, reason, others, birthDate, document, personalNumber, ...seen } = body;
        const by = caller().username;
        const record = {
          ...(birthDate !== undefined && { birthDate }),
          ...(document !== undefined && { document }),
          ...(personalNumber !== undefined && { personalNumber }),
        };
        const decided = await decideAtDesk(
          wholeOf(trx),
          random,
          { playerId, state, validUntil, by, reason, others, record, seen },
          secondPerson
            ? ({ correction, groupBefore, groupAfter, others: said }) =>
                requestApproval(trx, random, caller(), {
                  kind: "identity.correct",
                  subject: `player:${playerId}`,
                  reason,
                  content: { player: playerId, correction, state, validUntil, by, groupBefore, groupAfter },
                  evidence: [
                    { label: "player", value: username },
                    { label: "age before", value: groupBefore },
                    { label: "age after", value: groupAfter },
                    ...(said === null ? [] : [{ label: "other accounts", value: said }]),
                  ],
                  would: { state },
                })
            : undefined,
        );
        if ("otherwise" in decided) return decided.otherwise;
        carryOut(after, playerId, by);
        return { state: (await identityOf(trx, playerId)).state };
      }),
    eraseIdentity: ({ act, params }) =>
      doAct(deps, act(), async (trx) => {
        await eraseAtDesk(wholeOf(trx), (await playerIn(wholeOf(trx), params)).id);
        return {};
      }),
  };
}

async function shownIdentity(
  source: Kysely<unknown>,
  playerId: string,
  mayDecide: boolean,
): Promise<z.input<typeof PlayerIdentity>> {
  const { state, validUntil, age, document, personalNumber } = await identityOf(source, playerId);
  const decisions = await decisionsOf(source, playerId, DECISIONS_MAX);
  return {
    ...{ state, validUntil, age, document },
    hasPersonalNumber: personalNumber !== null,
    ...(await closedGates(source, playerId)),
    hasCorrection: (await correctionOf(source, playerId)) !== undefined,
    others: mayDecide ? await otherAccounts(source, playerId) : null,
    held: decisions[0]?.held === true,
    decisions: decisions.map(({ at, held: _, ...one }) => ({ ...one, at: at.toISOString() })),
  };
}

/** What an approval of `identity.correct` holds: no personal data. */
const CorrectContent = z.strictObject({
  player: z.string(),
  correction: z.string(),
  state: z.enum(IDENTITY_DECISIONS),
  validUntil: z.nullable(z.string()),
  by: z.string(),
  groupBefore: z.string(),
  groupAfter: z.string(),
});

/** What a second signature decides. */
export const identityExecutes = (deps: ActsDeps): Executes => ({
  "identity.correct": async (trx, content, { reason, after }) => {
    const { player: playerId, correction, state, validUntil, by } = z.parse(CorrectContent, content);
    await decideSigned(wholeOf(trx), correction, { playerId, state, validUntil, by, reason });
    after.push(() => deps.ask({ kind: "player", body: { playerId }, by }));
  },
});
