import { useText } from "@longarm/ui/i18n/use-text.ts";
import { Key } from "@longarm/ui/key.tsx";
import { Lamp } from "@longarm/ui/lamp.tsx";
import { Link } from "@tanstack/react-router";
import { useState } from "react";
import type { AnswerOf } from "../../shared/api.ts";
import { useMay, useOnline } from "../../shared/me.ts";
import { paths } from "../../shared/paths.ts";
import { dayText } from "../../shared/times.ts";
import { FormSheet } from "../../shared/ui/form-sheet.tsx";
import { Facts, Loaded, Note, Panel, panelCss } from "../../shared/ui/panel.tsx";
import { useRead } from "../../shared/ui/queries.ts";
import { ReasonForm } from "../../shared/ui/reason-form.tsx";
import { useWhen } from "../../shared/use-when.ts";
import { IdentityForm } from "./identity-form.tsx";
import css from "./players.module.css";

type Player = AnswerOf<"player">["player"];
type Identity = AnswerOf<"playerIdentity">;
type Shown = Extract<AnswerOf<"revealIdentity">, { is: "done" }>["result"];
type Open = "decide" | "reveal" | "erase";

const LAMPS = {
  none: "off",
  pending: "waiting",
  verified: "available",
  refused: "fault",
  expired: "waiting",
} as const;

/** Whether a player's identity and age are proved, who decided it, and what is closed for want of it. */
export function IdentityPanel({ player }: { readonly player: Player }) {
  const { t } = useText();
  const identity = useRead("playerIdentity", { params: { id: player.id } });
  const [open, setOpen] = useState<Open>();
  const [shown, setShown] = useState<Shown>();
  const close = () => setOpen(undefined);
  return (
    <Panel
      title={t("identity.title")}
      tools={
        identity.data !== undefined && (
          <Lamp status={LAMPS[identity.data.state]}>{t(`identity.state_${identity.data.state}`)}</Lamp>
        )
      }
      foot={t("identity.foot")}
    >
      <Loaded of={identity}>
        {(known) => (
          <div className={panelCss["body"]}>
            <Closed known={known} />
            <Known known={known} shown={shown} />
            <Others known={known} />
            <Keys known={known} isShown={shown !== undefined} open={setOpen} />
            <Decisions known={known} />
            <FormSheet
              open={open !== undefined}
              title={`${t(`identity.${open ?? "decide"}`)}: ${player.username}`}
              onClose={close}
            >
              {open === "decide" && <IdentityForm player={player} known={known} close={close} />}
              {open === "reveal" && <RevealForm player={player} close={close} show={setShown} />}
              {open === "erase" && <EraseForm player={player} close={close} erased={() => setShown(undefined)} />}
            </FormSheet>
          </div>
        )}
      </Loaded>
    </Panel>
  );
}

function Closed({ known }: { readonly known: Identity }) {
  const { t } = useText();
  const { age, ageMin, closed, hasCorrection, held } = known;
  const isTooYoung = age !== null && age < ageMin;
  return (
    <>
      {isTooYoung && <Note kind="bad">{t("identity.tooYoung", { age: ageMin })}</Note>}
      {closed.length > 0 && (
        <Note kind="wait">
          {t("identity.closedNow", { what: closed.map((gate) => t(`identity.gate_${gate}`)).join(", ") })}
        </Note>
      )}
      {held && <Note kind="wait">{t("identity.heldNow")}</Note>}
      {hasCorrection && <Note kind="wait">{t("identity.correctionWaits")}</Note>}
    </>
  );
}

/** Facts without personal data; birth date and number only after somebody said why. */
function Known({ known, shown }: { readonly known: Identity; readonly shown: Shown | undefined }) {
  const { t, language } = useText();
  const day = (date: string | null) => (date === null ? "–" : dayText(date, language));
  const { age, ageMin, before, document, validUntil, hasPersonalNumber } = known;
  const number = hasPersonalNumber ? t("identity.kept") : "–";
  const hidden = age === null ? "–" : t("identity.kept");
  return (
    <Facts
      rows={[
        [t("identity.age"), age === null ? t("identity.ageUnknown") : t("identity.years", { count: age })],
        [t("identity.birthDate"), shown === undefined ? hidden : day(shown.birthDate)],
        [t("identity.personalNumber"), <bdi key="number">{shown?.personalNumber ?? number}</bdi>],
        ...(shown?.correction == null
          ? []
          : ([[t("identity.correction"), <b key="waits">{day(shown.correction.birthDate)}</b>]] as const)),
        [t("identity.document"), document ?? "–"],
        [t("identity.validUntil"), day(validUntil)],
        [
          t("identity.wanted"),
          before.length === 0
            ? t("identity.wantedNothing", { age: ageMin })
            : t("identity.wantedBefore", {
                what: before.map((gate) => t(`identity.gate_${gate}`)).join(", "),
                age: ageMin,
              }),
        ],
      ]}
    />
  );
}

/** Other accounts of the same person, and those that only look like it; shown to who may decide about identities. */
function Others({ known: { others } }: { readonly known: Identity }) {
  const { t } = useText();
  if (others === null || others.length === 0) return null;
  return (
    <ul className={css["signIns"]} aria-label={t("identity.othersTitle")}>
      {others.map(({ player, is, excluded }) => (
        <li key={player.id}>
          <span>
            <Link to={`${paths.players}/$id` as string} params={{ id: player.id } as never}>
              <bdi>{player.username}</bdi>
            </Link>
            <small className={css["later"]}>{t(`identity.other_${is}`)}</small>
          </span>
          {excluded && <small>{t("identity.otherExcluded")}</small>}
        </li>
      ))}
    </ul>
  );
}

function Keys(props: { readonly known: Identity; readonly isShown: boolean; readonly open: (what: Open) => void }) {
  const { t } = useText();
  const online = useOnline();
  const mayDecide = useMay("player.add");
  const { age, document, hasPersonalNumber, hasCorrection } = props.known;
  const hasData = age !== null || document !== null || hasPersonalNumber || hasCorrection;
  const offered: readonly Open[] = [
    ...(mayDecide ? (["decide"] as const) : []),
    ...(hasData && !props.isShown ? (["reveal"] as const) : []),
    ...(mayDecide && hasData ? (["erase"] as const) : []),
  ];
  if (offered.length === 0) return null;
  return (
    <div className={css["keys"]}>
      {offered.map((what) => (
        <Key key={what} kind={what === "erase" ? "danger" : "line"} disabled={!online} onClick={() => props.open(what)}>
          {t(`identity.${what}`)}
        </Key>
      ))}
    </div>
  );
}

function Decisions({ known: { decisions } }: { readonly known: Identity }) {
  const { t, language } = useText();
  const when = useWhen();
  if (decisions.length === 0) return <p className="soft">{t("identity.noDecision")}</p>;
  return (
    <ul className={css["signIns"]} aria-label={t("identity.decisions")}>
      {decisions.map(({ state, at, by, reason, validUntil }) => (
        <li key={`${at} ${state}`}>
          <span>
            {t(`identity.state_${state}`)}
            {validUntil !== null && ` · ${t("identity.until", { day: dayText(validUntil, language) })}`}
            <small className={css["later"]}>{reason}</small>
          </span>
          <small>
            {by}, {when(at)}
          </small>
        </li>
      ))}
    </ul>
  );
}

function RevealForm(props: {
  readonly player: Player;
  readonly close: () => void;
  readonly show: (shown: Shown) => void;
}) {
  const { t } = useText();
  return (
    <ReasonForm
      name="revealIdentity"
      params={{ id: props.player.id }}
      title={t("identity.reveal")}
      about={t("players.revealContactAbout")}
      lines={[[t("players.one"), props.player.username]]}
      reads={[]}
      close={props.close}
      onAnswer={(answer) => {
        if (answer.is === "done") props.show(answer.result);
        props.close();
      }}
    />
  );
}

function EraseForm(props: { readonly player: Player; readonly close: () => void; readonly erased: () => void }) {
  const { t } = useText();
  return (
    <ReasonForm
      name="eraseIdentity"
      params={{ id: props.player.id }}
      title={t("identity.erase")}
      about={t("identity.eraseAbout")}
      lines={[[t("players.one"), props.player.username]]}
      danger
      checks
      reads={["playerIdentity"]}
      said={t("identity.erasedSaid")}
      close={props.close}
      onAnswer={() => {
        props.erased();
        props.close();
      }}
    />
  );
}
