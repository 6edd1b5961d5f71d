import type { TemplateUser } from "@longarm/contract/template/template-api";
import type { Player, PlayerProfile } from "../../players/index.ts";

/** A player as the template's calls word a user. */
export function accountUser(player: Player, { settings, shortcuts }: PlayerProfile): TemplateUser {
  return {
    uuid: player.id,
    from: "longarm",
    role: ["user"],
    data: {
      displayName: `${player.name} ${player.lastname}`.trim() || player.username,
      email: player.email,
      ...(settings && { settings }),
      ...(shortcuts && { shortcuts: [...shortcuts] }),
    },
  };
}
