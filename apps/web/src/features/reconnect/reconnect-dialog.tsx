import { Dialog } from "@base-ui/react/dialog";
import type { Settings } from "@longarm/contract/settings";
import type { Timers } from "@longarm/link/socket";
import { shownMachine } from "@longarm/ui/i18n/shown-name.ts";
import type { Speech } from "@longarm/ui/i18n/texts.ts";
import { useText } from "@longarm/ui/i18n/use-text.ts";
import { Lamp } from "@longarm/ui/lamp.tsx";
import type { Live } from "@longarm/ui/live.ts";
import { useLive } from "@longarm/ui/live.ts";
import { LOCALES } from "@longarm/ui/money/format.ts";
import { Money } from "@longarm/ui/money/money.tsx";
import { Sheet } from "@longarm/ui/sheet.tsx";
import { elapsedText } from "@longarm/ui/time/time-text.ts";
import { useNow } from "@longarm/ui/time/use-now.ts";
import { useSecondsLeft } from "@longarm/ui/time/use-seconds-left.ts";
import { useEffect, useRef, useState } from "react";
import { failureText } from "../../shared/i18n/problem-text.ts";
import type { TextKey } from "../../shared/i18n/text-key.ts";
import type { WalletNow } from "../../shared/play-deps.ts";
import type { NotHome, Reconnect, Reconnectable } from "./reconnect.ts";
import css from "./reconnect-buttons.module.css";
import type { Action, Face } from "./reconnect-buttons.tsx";
import { Keys, VARIANTS } from "./reconnect-buttons.tsx";

type ReconnectDialogProps = Ticking & {
  readonly reconnect: Reconnect;
  readonly wallet: Live<WalletNow>;
  readonly contacts: Settings["contacts"];
  /** Addresses of the machine's image, the best first. */
  readonly pictures: readonly string[];
  /** Elsewhere than in the lobby closing goes there. */
  readonly toLobby: (() => void) | undefined;
};

/** Over any page of the shell while a play session is open: what the machine does, and what can be done about it. */
export function ReconnectDialog(props: ReconnectDialogProps) {
  const { shown } = useLive(props.reconnect.now);
  // While it fades it still shows what it was about.
  const [session, setSession] = useState(shown);
  if (shown !== undefined && shown !== session) setSession(shown);
  const body = useRef<HTMLDivElement>(null);
  const [opener, setOpener] = useState<Element | null>(null);
  const open = shown !== undefined;
  const [wasOpen, setWasOpen] = useState(false);
  if (open !== wasOpen) {
    setWasOpen(open);
    if (open) setOpener(document.activeElement);
  }
  if (session === undefined) return null;
  return <Variant {...props} {...{ session, open, body }} finalFocus={() => focusAfter(opener)} />;
}

/** Back to where the focus was; without one, to the page's heading. */
function focusAfter(opener: Element | null): HTMLElement | true {
  if (opener instanceof HTMLElement && opener.isConnected && opener !== document.body) return opener;
  const heading = document.querySelector<HTMLElement>("h1");
  if (heading === null) return true;
  heading.tabIndex = -1;
  return heading;
}

type VariantProps = ReconnectDialogProps & {
  readonly session: Reconnectable;
  readonly open: boolean;
  readonly body: React.RefObject<HTMLDivElement | null>;
  readonly finalFocus: () => HTMLElement | true;
};

function Variant({ session, open, body, finalFocus, ...props }: VariantProps) {
  const speech = useText();
  const { t } = speech;
  const { reconnect, wallet, contacts, pictures, toLobby, clock, timers } = props;
  const { variant, until } = session;
  const { busy, notHome, inOtherTab } = useLive(reconnect.now);
  const face: Face = variant === "playing" && inOtherTab ? "otherTab" : variant;
  // Undefined: this platform does not say.
  const credit = useLive(wallet, (now) => now?.onMachine);
  const machine = shownMachine(session);
  // A number stays beside its name: between two lines of Arabic it would belong to neither.
  const title = t(`reconnect.${face}`, { machine: machine.replace(/ (?=\d+\u2069$)/, "\u00a0") });
  const { lamp, actions } = VARIANTS[face];
  const can = (action: Action): boolean => {
    if (action === "support") return contacts.length > 0;
    if (action !== "cashOut") return true;
    // Where nothing is on the machine nothing comes home. One with a fault says itself whether it gives its credits back.
    return variant === "error" ? (credit ?? 0) > 0 : credit !== 0;
  };
  const offered = actions.filter(can);
  const said = useChange(face, body);

  return (
    <Sheet
      open={open}
      onClose={reconnect.close}
      className={css["dialog"] ?? ""}
      // The dialog opens by itself: a key that is just being pressed must not choose.
      initialFocus={() => body.current ?? true}
      finalFocus={finalFocus}
      title={title}
      head={
        <>
          <Glass key={session.id} pictures={pictures} dim={lamp === "off" || lamp === "fault"} />
          <p className={css["status"]} data-variant={variant}>
            <Lamp status={lamp}>{t(`reconnect.${face}Lamp`)}</Lamp>
            {variant !== "waiting" && <span className={css["machine"]}>{machine}</span>}
          </p>
        </>
      }
    >
      <div ref={body} tabIndex={-1} className={css["body"]}>
        <Dialog.Description>
          {variant === "waiting" && credit === 0 ? t("reconnect.waitingEmptyBody") : t(`reconnect.${face}Body`)}
          {variant === "waiting" && until && <SecondsLeft {...{ until, clock, timers }} />}
        </Dialog.Description>
        {notHome !== undefined && (
          <p className={css["notHome"]} role="alert">
            {notHomeText(speech, notHome)}
          </p>
        )}
        {variant === "trying-cashout" && (
          <div className={css["progress"]} role="progressbar" aria-label={title}>
            <span />
          </div>
        )}
        <Facts {...{ session, wallet, clock, timers }} />
        <Keys
          key={face}
          actions={offered}
          hasPrimary={variant !== "trying-cashout" && offered[0] !== "close" && offered[0] !== "kick"}
          {...{ busy, reconnect, contacts, toLobby }}
        />
        <span className="visually-hidden" role="status">
          {said && title}
        </span>
      </div>
    </Sheet>
  );
}

/** Why the credits are not in the wallet, and where they are meanwhile. */
function notHomeText(speech: Speech, why: NotHome): string {
  return why.is === "refused" ? failureText(speech, why.failure) : speech.t(NOT_HOME_TEXTS[why.is]);
}

const NOT_HOME_TEXTS = {
  game: "reconnect.notHomeGame",
  unknown: "reconnect.notHomeUnknown",
  away: "reconnect.notHomeAway",
  locked: "reconnect.notHomeLocked",
} as const satisfies Record<Exclude<NotHome["is"], "refused">, TextKey>;

/** True once the variant has changed under the player's eyes; a focus that went with its key comes back into the dialog. */
function useChange(variant: string, body: React.RefObject<HTMLDivElement | null>): boolean {
  const [first] = useState(variant);
  useEffect(() => {
    if (variant !== first && document.activeElement === document.body) body.current?.focus();
  }, [variant, first, body]);
  return variant !== first;
}

/** What the machine shows, from the first address that can be had; without any the dialog begins with its lamp. */
function Glass({ pictures, dim }: { pictures: readonly string[]; dim: boolean }) {
  const [failed, setFailed] = useState(0);
  const picture = pictures[failed];
  if (picture === undefined) return null;
  return (
    <div className={css["glass"]} data-dim={dim || undefined}>
      <img src={picture} alt="" width="640" height="400" decoding="async" onError={() => setFailed(failed + 1)} />
    </div>
  );
}

type Ticking = { readonly clock: { now(): number }; readonly timers: Timers };

/** What is known of the play session: credits on the machine, how long it runs, its spins. */
function Facts({ session, wallet, clock, timers }: Ticking & { session: Reconnectable; wallet: Live<WalletNow> }) {
  const { t, language } = useText();
  const credit = useLive(wallet, (now) => now?.onMachine);
  const now = useNow(clock, timers);
  const started = Date.parse(session.started_at ?? "");
  const facts = [
    credit !== undefined && { word: t("reconnect.credit"), value: <Money minor={credit} /> },
    !Number.isNaN(started) && {
      word: t("reconnect.time"),
      value: (
        <bdi className="num" dir="ltr">
          {elapsedText(now - started)}
        </bdi>
      ),
    },
    typeof session.spin_count === "number" && {
      word: t("reconnect.spins"),
      value: <span className="num">{new Intl.NumberFormat(LOCALES[language]).format(session.spin_count)}</span>,
    },
  ].filter((fact) => fact !== false);
  if (facts.length === 0) return null;
  return (
    <dl className={css["facts"]}>
      {facts.map(({ word, value }) => (
        <div key={word}>
          <dt className="plate">{word}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  );
}

/** How long the seat is still kept, while that is known and not over. */
function SecondsLeft({ until, clock, timers }: Ticking & { until: string }) {
  const { t } = useText();
  const seconds = useSecondsLeft(Date.parse(until), clock, timers);
  return seconds > 0 ? <> {t("reconnect.secondsLeft", { count: seconds })}</> : null;
}
