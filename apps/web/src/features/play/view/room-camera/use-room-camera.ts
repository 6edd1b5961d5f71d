import { useLive } from "../../../../shared/live/live.ts";
import { useMedia } from "../../../../shared/ui/use-media.ts";
import type { RoomCamera } from "../../state/room-camera.ts";
import { usePlay } from "../play-context.ts";

/** Short screens have no room for a second picture (design.md section 8, component 10). */
const NO_ROOM = "(orientation: landscape) and (max-height: 31rem), (orientation: portrait) and (max-height: 46rem)";

/** The room camera, where the operator shows it, the machine has one and the window has room for it. */
export function useRoomCamera(): RoomCamera | undefined {
  const { session, deps, roomCamera } = usePlay();
  const webcam = useLive(session.state, (state) => state.webcam);
  const noRoom = useMedia(NO_ROOM);
  return deps.settings.showWebcam && webcam && !noRoom ? roomCamera : undefined;
}
