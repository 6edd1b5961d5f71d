import { useText } from "../../../../shared/i18n/use-text.ts";
import { useLive } from "../../../../shared/live/live.ts";
import { Switch } from "../../../../shared/ui/switch.tsx";
import type { RoomCamera } from "../../state/room-camera.ts";
import { useRoomCamera } from "./use-room-camera.ts";

/** Opens and closes the room camera where its own key has no room. */
export function RoomSwitch() {
  const camera = useRoomCamera();
  return camera !== undefined && <Shown camera={camera} />;
}

function Shown({ camera }: { camera: RoomCamera }) {
  const { t } = useText();
  const open = useLive(camera.now, (now) => now.open);
  return <Switch label={t("play.roomCamera")} on={open} onChange={(next) => camera.change({ open: next })} />;
}
