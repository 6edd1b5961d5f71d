import { OwnId } from "@longarm/contract/ids";
import { CARE_MEASURES } from "@longarm/contract/player-care";
import type { CareCase, CareCaseDetail, PlayerCare } from "@longarm/contract/staff-care";
import * as z from "zod/mini";
import type { PlayersTables } from "../../players/accounts/index.ts";
import { findPlayer } from "../../players/accounts/index.ts";
import { declaredNow, declareMeans, figuresOfAll } from "../../protection/care/index.ts";
import type { CaseRow, StepRow } from "../../protection/cases/index.ts";
import { letterDrafts, letterFrom, listCases, openCaseByHand, stepsOf } from "../../protection/cases/index.ts";
import type { MarketTables } from "../../protection/markets/index.ts";
import { rulesOf } from "../../protection/markets/index.ts";
import { wholeOf } from "../accounts/index.ts";
import { endCase, namesOf, noteCase, personOf, takeCase, timeOut, writeLetter } from "../desk/index.ts";
import type { StaffCaller } from "../sign-in/index.ts";
import { doAct, Refused } from "../sign-in/index.ts";
import type { ActsDeps } from "./desk.ts";
import { idIn } from "./floor.ts";
import { listed } from "./people.ts";
import type { Handlers } from "./routes.ts";
import type { SettingsParts } from "./settings.ts";

/** Cases of one player that their page shows. */
const CASES_MAX = 20;

/** Cases of players who may need care: what was seen, and what staff does. */
export function careHandlers(deps: ActsDeps, settings: SettingsParts): Handlers {
  return { ...reading(deps, settings), ...careActs(deps) };
}

function reading(deps: ActsDeps, settings: SettingsParts): Handlers {
  const { db, source, timeZone } = deps;
  return {
    careCases: async ({ query: { state, after, limit } }) => {
      if (after !== undefined && !z.safeParse(OwnId, after).success)
        throw new Refused("request.invalid", { where: "after" });
      const rows = await listCases(source, { state, after, limit });
      return await listed(db, await shown(deps, rows), rows.length === limit ? (rows.at(-1)?.id ?? null) : null);
    },
    careCase: async ({ params }) => await caseDetail(deps, settings, idIn(params, "case")),
    playerCare: async ({ params }): Promise<z.input<typeof PlayerCare>> => {
      const playerId = await playerIn(deps, params);
      const cases = await listCases(source, { playerId, limit: CASES_MAX });
      const { careAt } = await rulesOf(source.withTables<MarketTables>(), { playerId });
      const figures = (await figuresOfAll(source, [playerId], timeZone)).get(playerId);
      return {
        cases: await shown(deps, cases),
        figures: CARE_MEASURES.map((measure) => ({ measure, value: figures?.[measure] ?? null, ...careAt[measure] })),
        declared: await declaredNow(source, playerId),
      };
    },
  };
}

/** The id of the player of an address. @throws Refused. */
async function playerIn({ source }: Pick<ActsDeps, "source">, params: Readonly<Record<string, string>>) {
  const player = await findPlayer(source.withTables<PlayersTables>(), idIn(params, "player"));
  if (player === undefined) throw new Refused("thing.unknown", { kind: "player" });
  return player.id;
}

async function shown({ db, source }: ActsDeps, rows: readonly CaseRow[]): Promise<z.input<typeof CareCase>[]> {
  const names = await namesOf(
    db,
    rows.flatMap(({ owner, closedBy }) => [owner ?? [], closedBy ?? []].flat()),
  );
  const person = (id: string | null) => (id === null ? null : personOf(names, id));
  const cases: z.input<typeof CareCase>[] = [];
  for (const { playerId, openedAt, closedAt, owner, closedBy, signs, ...row } of rows) {
    const player = await findPlayer(source.withTables<PlayersTables>(), playerId);
    cases.push({
      ...row,
      player: { id: playerId, username: player?.username ?? playerId },
      openedAt: openedAt.toISOString(),
      owner: person(owner),
      signs: signs.map(({ measure, level, value, limit, at }) => ({
        measure,
        level,
        value,
        limit,
        at: at.toISOString(),
      })),
      closedAt: closedAt?.toISOString() ?? null,
      closedBy: person(closedBy),
    });
  }
  return cases;
}

async function caseDetail(
  deps: ActsDeps,
  settings: SettingsParts,
  id: string,
): Promise<z.input<typeof CareCaseDetail>> {
  const { db, source } = deps;
  const [row] = await listCases(source, { id });
  const [found] = row === undefined ? [] : await shown(deps, [row]);
  if (row === undefined || found === undefined) throw new Refused("thing.unknown", { kind: "case" });
  const steps = await stepsOf(source, id);
  const names = await namesOf(
    db,
    steps.flatMap(({ staffId }) => staffId ?? []),
  );
  const step = ({ at, kind, staffId, text, advice, until, readAt }: StepRow) => ({
    ...{ kind, text, advice },
    at: at.toISOString(),
    person: staffId === null ? null : personOf(names, staffId),
    until: until?.toISOString() ?? null,
    readAt: readAt?.toISOString() ?? null,
  });
  return {
    ...found,
    steps: steps.map(step),
    letterFrom: (await letterFrom(source, row.playerId))?.toISOString() ?? null,
    drafts: letterDrafts(settings.live.now().careLetter ?? settings.file.ofFile().careLetter),
  };
}

const actorOf = ({ staffId, username, name }: StaffCaller) => ({ staffId, username, name });

/** What staff does; the command line too. */
export function careActs(deps: ActsDeps): Handlers {
  const { random, timeZone } = deps;
  return {
    openCareCase: ({ act, caller, params, body: { reason } }) =>
      doAct(deps, act(), async (trx) => {
        const playerId = await playerIn({ source: wholeOf(trx) }, params);
        const id = await openCaseByHand(wholeOf(trx), random, { playerId, by: caller().staffId, reason });
        if (id === undefined) throw new Refused("act.refused", { sentence: "The player has an open case already." });
        return { case: id };
      }),
    declareMeans: ({ act, caller, params, body: { amount, reason } }) =>
      doAct(deps, act(), async (trx) => {
        const playerId = await playerIn({ source: wholeOf(trx) }, params);
        await declareMeans(wholeOf(trx), { playerId, amount, by: caller().staffId, reason });
        return {};
      }),
    takeCareCase: ({ act, caller, params, body: { expected } }) =>
      doAct(deps, act(), async (trx) => {
        await takeCase(wholeOf(trx), idIn(params, "case"), actorOf(caller()), expected);
        return {};
      }),
    noteCareCase: ({ act, caller, params, body: { note } }) =>
      doAct(deps, act(), async (trx) => {
        await noteCase(wholeOf(trx), idIn(params, "case"), actorOf(caller()), note);
        return {};
      }),
    writeCareLetter: ({ act, caller, params, body: { text, advice = null } }) =>
      doAct(deps, act(), async (trx) => {
        const content = { text, advice };
        return { letter: await writeLetter(wholeOf(trx), random, idIn(params, "case"), actorOf(caller()), content) };
      }),
    careTimeOut: ({ act, caller, params, body: { days, reason } }) =>
      doAct(deps, act(), async (trx, after) => {
        const wanted = { days, reason, timeZone };
        const { until, playerId } = await timeOut(wholeOf(trx), idIn(params, "case"), actorOf(caller()), wanted);
        after.push(() => deps.ask({ kind: "player", body: { playerId }, by: caller().username }));
        return { until: until.toISOString() };
      }),
    closeCareCase: ({ act, caller, params, body: { outcome, reason } }) =>
      doAct(deps, act(), async (trx) => {
        await endCase(wholeOf(trx), idIn(params, "case"), actorOf(caller()), { outcome, reason });
        return {};
      }),
  };
}
