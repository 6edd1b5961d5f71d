import type { QueueAnswer } from "@longarm/contract/player-queue";
import { shownMachine } from "@longarm/ui/i18n/shown-name.ts";
import { useText } from "@longarm/ui/i18n/use-text.ts";
import { useLive } from "@longarm/ui/live.ts";
import { useCurrency } from "@longarm/ui/money/currency.ts";
import { useNavigate, useRouterState } from "@tanstack/react-router";
import { useEffect, useEffectEvent, useRef } from "react";
import { endText, wishText } from "../../features/queue/place-text.ts";
import type { CalledPlace } from "../../features/queue/queues.ts";
import { callEnd, calledIn } from "../../features/queue/queues.ts";
import { Dock } from "../../features/queue/view/ticket.tsx";
import { TurnDialog } from "../../features/queue/view/turn-dialog.tsx";
import type { ApiFailure } from "../../shared/api/failure.ts";
import { failureText } from "../../shared/i18n/problem-text.ts";
import { paths } from "../../shared/paths/paths.ts";
import { STORAGE_KEYS } from "../../shared/storage/storage.ts";
import type { App } from "../app.ts";
import type { PlayerLink } from "../player/player-link.ts";
import { queueDepsOf, ringOf } from "./queues-of.ts";

type LayerProps = { readonly app: App; readonly link: PlayerLink };

/** Over any page but a game of the player: the turn that has come, what ended, and, where the page has room, the nearest place. */
export function QueueLayer({ app, link }: LayerProps) {
  const deps = queueDepsOf(app)(link);
  const { queues } = deps;
  const navigate = useNavigate();
  const page = useRouterState({ select: ({ location }) => location.pathname });
  const called = useLive(queues.now, calledIn);
  useNotices({ app, link });
  async function sit({ place, call }: CalledPlace): Promise<ApiFailure | undefined> {
    queues.sitting(place.id);
    const other = link.openSession.getState();
    if (other !== undefined && other.id !== call.machineId) {
      // The credits of the other machine come home first.
      const answer = await app.api.call("cancel", { body: { machineId: other.id } });
      if (!answer.ok) return answer.failure;
    }
    await navigate(paths.game(call.machineId, call.machine));
    return undefined;
  }
  const isQueue = page === paths.queue;
  return (
    <>
      <TurnDialog {...{ deps, called }} onSit={sit} ring={ringOf(app)} />
      {!isQueue && !page.startsWith("/watch") && (
        <Dock deps={deps} inLobby={page.startsWith(paths.lobby)} onShow={() => void navigate({ to: paths.queue })} />
      )}
    </>
  );
}

/** How long a message stays that says why something ended, ms. */
const READ_MS = 30_000;
const SEEN_MAX = 20;

/** Says how a call was answered elsewhere or missed, and why a place ended, each once. */
function useNotices({ app, link }: LayerProps): void {
  const speech = useText();
  const currency = useCurrency();
  const { queues } = queueDepsOf(app)(link);
  const now = useLive(queues.now);
  const before = useRef<CalledPlace>(undefined);
  const changed = useEffectEvent(() => {
    const was = before.current;
    before.current = calledIn(now);
    const end = was && callEnd(was, now, queues.isAnsweredHere(was.place.id));
    if (was !== undefined && (end === "missed" || end === "elsewhere"))
      app.messages.say("info", endOfCall(speech, was, end, link.openSession.getState()?.id), READ_MS);
    if (typeof now.answer === "object") for (const ended of unseen(app, now.answer.ended)) sayEnd(ended);
  });
  function sayEnd({ wish, machine, reason }: QueueAnswer["ended"][number]): void {
    const name = wishText(speech, currency, wish, machine);
    const { text, again } = endText(speech, reason);
    const act = { label: speech.t("queue.again"), run: () => void joinAgain() };
    async function joinAgain(): Promise<void> {
      const failure = await queues.join(wish);
      if (failure === undefined) app.messages.say("good", speech.t("queue.joined", { wish: name }));
      else app.messages.say("bad", failureText(speech, failure));
    }
    app.messages.say("info", speech.t("queue.endedAt", { wish: name, why: text }), READ_MS, again ? act : undefined);
  }
  // biome-ignore lint/correctness/useExhaustiveDependencies: what is known has changed.
  useEffect(() => changed(), [now]);
}

function endOfCall(
  { t }: Pick<ReturnType<typeof useText>, "t">,
  { call }: CalledPlace,
  end: "missed" | "elsewhere",
  seatAt: string | undefined,
): string {
  if (end === "missed") return t("queue.missed", { machine: shownMachine({ name: call.machine, id: call.machineId }) });
  return t(seatAt === call.machineId ? "queue.seatedElsewhere" : "queue.answeredElsewhere");
}

/** Those of the ended places that this browser has not reported yet; it keeps that it has. */
function unseen({ storage }: App, ended: QueueAnswer["ended"]): QueueAnswer["ended"] {
  const seen = (storage.read(STORAGE_KEYS.queueEndsSeen) ?? "").split(" ");
  const fresh = ended.filter(({ id }) => !seen.includes(id));
  if (fresh.length > 0)
    storage.write(STORAGE_KEYS.queueEndsSeen, [...fresh.map(({ id }) => id), ...seen].slice(0, SEEN_MAX).join(" "));
  return fresh;
}
