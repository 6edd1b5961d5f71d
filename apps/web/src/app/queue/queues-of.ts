import { picturesOf } from "../../features/lobby/machine-view.ts";
import { createKeySounds } from "../../features/play/browser/key-sounds.ts";
import { createPreferences } from "../../features/play/state/preferences.ts";
import { createOutlooks } from "../../features/queue/outlooks.ts";
import type { QueueDeps } from "../../features/queue/queue-deps.ts";
import { createQueues } from "../../features/queue/queues.ts";
import { pageNow } from "../../shared/page-clock/page-clock.ts";
import type { App } from "../app.ts";
import { oncePer } from "../app.ts";
import type { PlayerLink } from "../player/player-link.ts";

/** The places of the player who is signed in, fed by what is pushed, with what their views need. */
export const queueDepsOf = oncePer((app: App) => oncePer((link: PlayerLink) => makeDeps(app, link)));

function makeDeps({ api, addresses, seen, timers, messages }: App, link: PlayerLink): QueueDeps {
  const queues = createQueues(api, pageNow);
  const take = ({ data, at }: NonNullable<ReturnType<typeof link.queue.getState>>) => queues.pushed(data, at);
  const known = link.queue.getState();
  if (known !== undefined) take(known);
  link.queue.subscribe((push) => push && take(push));
  return {
    ...{
      queues,
      outlooks: createOutlooks(api, timers),
      timers,
      wallet: link.wallet,
      online: link.online,
      say: messages.say,
    },
    clock: { now: pageNow },
    picturesOf: ({ id, brand }) =>
      picturesOf(seen.get(id) ?? { brand, image: undefined }, (image) => URL.parse(image, addresses.api)?.href),
  };
}

/** The attention sound at the player's volume. Before a first touch a browser plays none. */
export const ringOf = oncePer(({ storage, settings }: App) => {
  const sounds = createKeySounds();
  return () => {
    const { muted, volume } = createPreferences(storage, settings.volume).now.getState();
    if (!muted && navigator.userActivation?.hasBeenActive) sounds.attention(volume);
  };
});
