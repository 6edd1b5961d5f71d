import { shownName } from "@longarm/ui/i18n/shown-name.ts";
import { useText } from "@longarm/ui/i18n/use-text.ts";
import { Key } from "@longarm/ui/key.tsx";
import { useLive } from "@longarm/ui/live.ts";
import { useShallow } from "zustand/react/shallow";
import { useOutlook } from "../outlooks.ts";
import { rangeText } from "../place-text.ts";
import type { QueueDeps, WaitedFor } from "../queue-deps.ts";
import type { QueuesNow } from "../queues.ts";
import { placeFor } from "../queues.ts";
import css from "./card-parts.module.css";
import { useAct } from "./use-act.ts";
import { Wheel } from "./wheel.tsx";

type CardPartProps = { readonly deps: QueueDeps; readonly machine: WaitedFor };

/** The key of an occupied cabinet: to wait, or that the player does. */
export function CardKey({ deps, machine, onWait }: CardPartProps & { readonly onWait: () => void }) {
  const { t } = useText();
  const isIn = useLive(deps.queues.now, (now) => placeFor(now, machine.id) !== undefined);
  return (
    <Key
      kind={isIn ? "line" : "plain"}
      className={isIn ? css["in"] : undefined}
      aria-label={t(isIn ? "queue.inFor" : "queue.waitFor", { machine: shownName(machine) })}
      onClick={onWait}
    >
      {t(isIn ? "queue.in" : "queue.wait")}
    </Key>
  );
}

/** On the glass: my place and how long it takes, or how many wait and how long it would. */
export function CardGlass({ deps, machine }: CardPartProps) {
  const speech = useText();
  const place = useLive(
    deps.queues.now,
    useShallow((now: QueuesNow) => {
      const mine = placeFor(now, machine.id);
      return mine && { ahead: mine.ahead, range: rangeText(speech, mine.wait), isCalled: mine.call !== null };
    }),
  );
  const outlook = useOutlook(deps.outlooks, place === undefined ? { machine: machine.id } : undefined);
  if (place !== undefined)
    return place.isCalled ? null : (
      <span className={css["mine"]}>
        <Wheel place={place.ahead + 1} />
        {place.range}
      </span>
    );
  const { waiting = 0 } = machine;
  const said = [
    waiting > 0 && speech.t("queue.waiting", { count: waiting }),
    outlook?.wait && rangeText(speech, outlook.wait),
  ].filter(Boolean);
  return said.length === 0 ? null : <span className={`num ${css["count"]}`}>{said.join(" · ")}</span>;
}

type PooledProps = {
  readonly deps: QueueDeps;
  readonly brand: string;
  /** Whether one of its machines is free. */
  readonly hasFree: boolean;
};

/** With nothing of a brand free: one place for all its machines. */
export function Pooled({ deps, brand, hasFree }: PooledProps) {
  const { t } = useText();
  const { busy, act } = useAct(deps);
  const any = useLive(deps.queues.now, ({ answer }) => offersBrand(answer, brand));
  if (hasFree || !any) return null;
  const wish = t("queue.any", { brand });
  return (
    <div className={css["pooled"]}>
      <p>
        <b>{t("queue.noneFree", { brand })}</b> {t("queue.noneFreeBody")}
      </p>
      <Key
        busy={busy !== undefined}
        onClick={() => void act("join", () => deps.queues.join({ brand }), { done: t("queue.joined", { wish }) })}
      >
        {t("queue.waitAny", { brand })}
      </Key>
    </div>
  );
}

/** Whether the player could wait for any machine of the brand, and does not yet. */
function offersBrand(answer: QueuesNow["answer"], brand: string): boolean {
  if (answer === undefined || answer === "absent" || !answer.any.brand || answer.placesMax === 0) return false;
  return !answer.places.some(({ wish }) => "brand" in wish && wish.brand === brand);
}
