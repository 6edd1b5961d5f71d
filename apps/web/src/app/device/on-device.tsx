import { shownMachine } from "@longarm/ui/i18n/shown-name.ts";
import { useLive } from "@longarm/ui/live.ts";
import { InstallRow } from "../../features/device/view/install-row.tsx";
import { RingChoice } from "../../features/device/view/ring-choice.tsx";
import { placesIn } from "../../features/queue/queues.ts";
import type { App } from "../app.ts";
import { useTextsOf } from "../panels/use-texts-of.ts";
import type { PlayerLink } from "../player/player-link.ts";
import { queueDepsOf } from "../queue/queues-of.ts";
import { ringOnDeviceOf } from "./device-of.ts";

type OnDeviceProps = {
  readonly app: App;
  readonly link: PlayerLink;
  /** `places`: beside the places of a player who waits. `sheet`: before joining. `profile`: with the way to the app on this device. */
  readonly at: "places" | "sheet" | "profile";
};

/** Whether this device rings while no page is open. */
export default function OnDevice({ app, link, at }: OnDeviceProps) {
  const ready = useTextsOf(app, "device");
  const [place] = placesIn(useLive(queueDepsOf(app)(link).queues.now));
  const [machine] = place?.machines ?? [];
  if (!ready || (at === "places" && place === undefined)) return null;
  return (
    <>
      <RingChoice ring={ringOnDeviceOf(app)(link)} say={app.messages.say} machine={machine && shownMachine(machine)} />
      {at === "profile" && <InstallRow page={window} />}
    </>
  );
}
