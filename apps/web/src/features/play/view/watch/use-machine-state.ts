import type { MachineState } from "@longarm/contract/machine";
import { useEffect, useState } from "react";
import type { PlayDeps } from "../../../../shared/play-deps.ts";
import { stateOf } from "../../state/end-reason.ts";

/** What the lobby's pushes last said of one machine; undefined while they said nothing. `forget` drops what is known to be old. */
export function useMachineState(machineId: string, { events, settings }: PlayDeps) {
  const [state, setState] = useState<MachineState>();
  useEffect(
    () =>
      events.on("machine", (told) => {
        if (String(told.id) === machineId) setState(stateOf(told.status, settings));
      }),
    [machineId, events, settings],
  );
  return [state, setState] as const;
}
