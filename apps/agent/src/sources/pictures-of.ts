import type { MachineConfig } from "../config/machines.ts";
import type { Source } from "../ports/source.ts";
import { configuredSource } from "./configured.ts";
import type { SessionDeps } from "./session.ts";

/** What a driver paints by itself. */
interface Painted {
  readonly source: Source;
  readonly roomCamera: Source | undefined;
}

/** The pictures of one machine: those of its configuration where it has some, else the driver's own. */
export function picturesOf(
  { picture, sound, roomCamera }: Pick<MachineConfig, "picture" | "sound" | "roomCamera">,
  painted: Painted,
  deps: SessionDeps,
): Painted {
  const none = { kind: "none" } as const;
  const room = (): Source | undefined => {
    if (roomCamera === undefined) return painted.roomCamera;
    return roomCamera.kind === "none" ? undefined : configuredSource(roomCamera, none, deps);
  };
  return {
    source: picture === undefined ? painted.source : configuredSource(picture, sound ?? none, deps),
    roomCamera: room(),
  };
}
