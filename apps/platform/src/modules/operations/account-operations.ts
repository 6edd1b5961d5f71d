import { sql } from "kysely";
import type { PlayPartDeps } from "../../play-base/play-deps.ts";
import type { LimitsTables } from "../limits/index.ts";
import { limitsOf } from "../limits/index.ts";
import type { EndedAt } from "../play/index.ts";
import type { PlayersTables } from "../players/index.ts";
import { endedAt } from "./floor-operations.ts";
import type { OperationParts, Operations } from "./parts.ts";

/** Play sessions that the latest ban or exclusion has ended, whichever node or look was the first to end them. */
async function endedFor({ db }: PlayPartDeps, playerId: string, reason: "banned" | "excluded"): Promise<EndedAt[]> {
  const { rows } = await sql<{ machineId: string; amount: number }>`
    select p.machine_id as "machineId", coalesce(sum(t.amount), 0)::bigint as amount from play_session p
      left join machine_transfer t on t.play_session_id = p.id and t.told_id is null and t.state = 'done'
    where p.player_id = ${playerId} and p.end_reason = ${reason} and p.ended_at >= coalesce(
      (select banned_at from player where id = ${playerId}),
      (select max(set_at) from player_limit where player_id = ${playerId} and kind = 'exclusion'))
    group by p.id`.execute(db);
  return rows.map((row) => ({ outcome: "done", ...row }));
}

/** What the database says of players and agents, carried out at those who are here. */
export function accountOperations(parts: OperationParts): Pick<Operations, "player" | "agentKey"> {
  const { deps, agents } = parts;
  return {
    async player(_about, { playerId, signOut }) {
      const player = await deps.db
        .withTables<PlayersTables>()
        .selectFrom("player")
        .select("banned_at")
        .where("id", "=", playerId)
        .executeTakeFirst();
      if (!player) return { is: "refused", sentence: "There is no such player." };
      const banned = player.banned_at !== null;
      const { exclusion } = await limitsOf(deps.db.withTables<LimitsTables>(), playerId);
      const said: string[] = [];
      const reason = banned ? "banned" : "excluded";
      // Begun first: whoever hears of a ban ends the play session too.
      const ending = banned || exclusion !== null ? parts.play.endSessionsOf(playerId, reason) : [];
      if (banned || signOut) {
        await parts.auth.end({ playerId }, banned ? "banned" : "logged out");
        said.push("All sign-ins have ended, and their sockets are closed.");
      }
      const open = (await ending).filter(({ outcome }) => outcome === "unknown");
      if (banned || exclusion !== null)
        for (const one of [...(await endedFor(deps, playerId, reason)), ...open])
          said.push(endedAt(one.machineId, one));
      deps.bus.publish("balance.changed", { playerId });
      return { is: "done", sentence: said.join(" ") };
    },

    async agentKey(_about, { agentId }) {
      agents.keyChanged(agentId);
      return { is: "done", sentence: "Its links have ended." };
    },
  };
}
