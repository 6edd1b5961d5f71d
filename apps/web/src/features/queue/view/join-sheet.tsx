import type { QueueOutlook, QueueWish } from "@longarm/contract/player-queue";
import { shownMachine } from "@longarm/ui/i18n/shown-name.ts";
import type { Speech } from "@longarm/ui/i18n/texts.ts";
import { useText } from "@longarm/ui/i18n/use-text.ts";
import { IconButton, Key } from "@longarm/ui/key.tsx";
import type { LampStatus } from "@longarm/ui/lamp.tsx";
import { Lamp } from "@longarm/ui/lamp.tsx";
import { useLive } from "@longarm/ui/live.ts";
import { useCurrency } from "@longarm/ui/money/currency.ts";
import { Sheet } from "@longarm/ui/sheet.tsx";
import type { ReactNode } from "react";
import { useId, useState } from "react";
import type { HelpingPage } from "../../../shared/money/refusal-text.ts";
import { helpingPage } from "../../../shared/money/refusal-text.ts";
import { useOutlook } from "../outlooks.ts";
import { outlookText, wishText } from "../place-text.ts";
import type { QueueDeps, WaitedFor } from "../queue-deps.ts";
import type { QueuesNow } from "../queues.ts";
import { placeFor } from "../queues.ts";
import css from "./join-sheet.module.css";
import { Picture } from "./picture.tsx";
import { PlaceNow } from "./place-now.tsx";
import glass from "./sheet-glass.module.css";
import { useAct } from "./use-act.ts";
import { useWeakLink } from "./use-weak-link.ts";

/** The machine of the sheet, and how its card says what it does. */
export type Waited = {
  readonly machine: WaitedFor;
  readonly lamp: LampStatus;
  /** What the lamp says. */
  readonly word: string;
};

export type JoinSheetProps = {
  readonly deps: QueueDeps;
  /** Undefined: closed. */
  readonly waited: Waited | undefined;
  readonly onClose: () => void;
  /** Goes to watch it; undefined: it cannot be watched. */
  readonly onWatch: (() => void) | undefined;
  /** Goes to the page of places, and to one that helps after a refusal. */
  readonly onPlaces: () => void;
  readonly onHelp: (page: HelpingPage) => void;
  /** Whether this device rings while no page is open. */
  readonly ring: ReactNode;
};

/** What a player may wait for at this machine, and the key that joins; with a place it says what is known of it. */
export function JoinSheet({ waited, ...props }: JoinSheetProps) {
  const { t } = useText();
  const { deps, onClose } = props;
  // What it showed stays while it closes.
  const [shown, setShown] = useState(waited);
  if (waited !== undefined && waited !== shown) setShown(waited);
  if (shown === undefined) return null;
  const { machine, lamp, word } = shown;
  const { waiting = 0 } = machine;
  return (
    <Sheet
      open={waited !== undefined}
      onClose={onClose}
      title={t("queue.joinTitle", { machine: shownMachine(machine) })}
      className={css["sheet"] ?? ""}
      head={
        <>
          <Picture className={glass["glass"] ?? ""} pictures={deps.picturesOf(machine)} />
          <p className={css["head"]}>
            <Lamp status={lamp}>
              {[word, waiting > 0 && t("queue.waiting", { count: waiting })].filter(Boolean).join(" · ")}
            </Lamp>
            <IconButton icon="close" label={t("app.close")} onClick={onClose} />
          </p>
        </>
      }
    >
      {waited !== undefined && <Contents key={machine.id} {...props} waited={shown} />}
    </Sheet>
  );
}

type ContentsProps = Omit<JoinSheetProps, "waited"> & { readonly waited: Waited };

function Contents({ deps, waited, onClose, onWatch, onPlaces, onHelp, ring }: ContentsProps) {
  const { t } = useText();
  const { machine } = waited;
  const place = useLive(deps.queues.now, (now) => placeFor(now, machine.id));
  return (
    <div className={css["body"]}>
      {place === undefined ? (
        <Choices {...{ deps, waited, onClose, onPlaces, onHelp, ring }} />
      ) : (
        <PlaceNow {...{ deps, place }} />
      )}
      {onWatch !== undefined && (
        <Key kind="line" icon="eye" onClick={onWatch}>
          {t("queue.watch")}
        </Key>
      )}
    </div>
  );
}

type Choice = { readonly wish: QueueWish; readonly name: string; readonly about: string };

function Choices({ deps, waited, onClose, onPlaces, onHelp, ring }: Omit<ContentsProps, "onWatch">) {
  const { t } = useText();
  const group = useId();
  const choices = useChoices(deps, waited);
  const [chosen, setChosen] = useState(0);
  const { busy, act } = useAct(deps);
  const [refusal, setRefusal] = useState<{ readonly text: string; readonly page: HelpingPage | undefined }>();
  const most = useLive(deps.queues.now, placesFull);
  const weakMs = useWeakLink(deps);
  const { wish, name } = choices[chosen] ?? choices[0] ?? {};
  function join(): void {
    if (wish === undefined) return;
    setRefusal(undefined);
    void act(
      "join",
      async () => {
        const failure = await deps.queues.join(wish);
        if (failure === undefined) onClose();
        return failure;
      },
      {
        done: t("queue.joined", { wish: name ?? "" }),
        onRefused: (text, { code }) => setRefusal({ text, page: code === undefined ? undefined : helpingPage(code) }),
      },
    );
  }
  return (
    <>
      <div
        className={css["pick"]}
        role="radiogroup"
        aria-label={t("queue.joinTitle", { machine: shownMachine(waited.machine) })}
      >
        {choices.map((choice, index) => (
          <label key={choice.name}>
            <input type="radio" name={group} checked={index === chosen} onChange={() => setChosen(index)} />
            <span>
              <b>{choice.name}</b>
              <small>{choice.about}</small>
            </span>
          </label>
        ))}
      </div>
      {ring}
      {/* A reason comes in the place of the key. */}
      {most === undefined && (
        <Key kind="brass" big busy={busy !== undefined} onClick={join}>
          {t("queue.join")}
        </Key>
      )}
      {most !== undefined && (
        <div className={css["reason"]}>
          <p>{t("queue.full", { count: most })}</p>
          <Key onClick={onPlaces}>{t("queue.title")}</Key>
        </div>
      )}
      <div role="alert">
        {refusal !== undefined && (
          <div className={css["reason"]}>
            <p>{refusal.text}</p>
            {refusal.page !== undefined && (
              <Key onClick={() => refusal.page && onHelp(refusal.page)}>{t(`queue.help_${refusal.page}`)}</Key>
            )}
          </div>
        )}
      </div>
      {weakMs !== undefined && (
        <p role="status" className={css["weak"]}>
          {t("queue.weakJoin", { ms: weakMs })}
        </p>
      )}
      <p className={css["fine"]}>{t("queue.joinNote")}</p>
    </>
  );
}

/** How many places the player may hold, where all are taken. */
function placesFull({ answer }: QueuesNow): number | undefined {
  if (answer === undefined || answer === "absent") return undefined;
  return answer.places.length >= answer.placesMax ? answer.placesMax : undefined;
}

/** The machine alone, and what else would do as far as this venue takes such places and there are other machines of it. */
function useChoices({ queues, outlooks }: QueueDeps, { machine }: Waited): readonly Choice[] {
  const speech = useText();
  const { t } = speech;
  const currency = useCurrency();
  const any = useLive(queues.now, ({ answer }) =>
    answer === undefined || answer === "absent" ? undefined : answer.any,
  );
  const { waiting = 0, brand, denomination } = machine;
  const wishes = {
    own: { machine: machine.id },
    brand: any?.brand && brand !== "" ? { brand } : undefined,
    denomination: any?.denomination && denomination ? { denomination } : undefined,
  };
  const own = useOutlook(outlooks, wishes.own) ?? { ahead: waiting, wait: null };
  const others = [useOutlook(outlooks, wishes.brand), useOutlook(outlooks, wishes.denomination)];
  return [
    { wish: wishes.own, name: t("queue.only", { machine: shownMachine(machine) }), about: outlookText(speech, own) },
    ...others.flatMap((outlook) => (outlook && outlook.machines > 1 ? [choiceOf(speech, currency, outlook)] : [])),
  ];
}

const choiceOf = (speech: Speech, currency: string, outlook: QueueOutlook): Choice => ({
  wish: outlook.wish,
  name: wishText(speech, currency, outlook.wish, ""),
  about: `${speech.t("queue.machines", { count: outlook.machines })} · ${outlookText(speech, outlook)}`,
});
