import type { LimitsTables } from "../limits/index.ts";
import { limitsOf } from "../limits/index.ts";
import type { PlayersTables } from "../players/index.ts";
import { endedAt } from "./floor-operations.ts";
import type { OperationParts, Operations } from "./handlers.ts";

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
      // Begun first: whoever hears of the ban ends the play session too, and nobody could say then what it brought back.
      const ending =
        banned || exclusion !== null ? parts.play.endSessionsOf(playerId, banned ? "banned" : "excluded") : [];
      if (banned || signOut) {
        await parts.auth.end({ playerId }, banned ? "banned" : "logged out");
        said.push("All sign-ins have ended, and their sockets are closed.");
      }
      said.push(...(await ending).map((one) => endedAt(one.machineId, one)));
      deps.bus.publish("balance.changed", { playerId });
      return { is: "done", sentence: said.join(" ") };
    },

    async agentKey(_about, { agentId }) {
      agents.keyChanged(agentId);
      return { is: "done", sentence: "Its links have ended." };
    },
  };
}
