import type { LobbyMachine } from "@longarm/contract/machine";
import type * as z from "zod/mini";
import type { MachineView } from "../session/index.ts";
import type { StillLinks } from "./still-links.ts";

/** A machine as the lobby shows it. Without a still the web falls back on the brand's picture. */
export function lobbyMachine(machine: MachineView, links: StillLinks): z.input<typeof LobbyMachine> {
  const { id, name, status, brand, watchable, stillTag, mine, until, reservation, stakes } = machine;
  return {
    id,
    name,
    status,
    brand,
    watchable,
    ...(stakes && { stakes }),
    ...(stillTag !== null && { image: links.linkTo(id, stillTag) }),
    ...(reservation && { reservation }),
    ...(mine && { mine, ...(until !== null && { until }) }),
  };
}
