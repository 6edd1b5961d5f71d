import { useText } from "@longarm/ui/i18n/use-text.ts";
import { Key } from "@longarm/ui/key.tsx";
import { useState } from "react";
import { useOnline } from "../../shared/me.ts";
import { FormSheet } from "../../shared/ui/form-sheet.tsx";
import { Note } from "../../shared/ui/panel.tsx";
import { ReasonForm } from "../../shared/ui/reason-form.tsx";
import { ShownOnce } from "../../shared/ui/shown-once.tsx";
import { BonusForm } from "./bonus-form.tsx";
import { ExcludeForm } from "./exclude-form.tsx";
import { LooserForm, StricterForm } from "./limit-forms.tsx";
import type { PlayerAct, Subject } from "./player-act.ts";
import { DANGERS, PLAYER_READS, useOfferedActs } from "./player-act.ts";
import css from "./players.module.css";

/** The keys of what may be done for a player. */
export function PlayerActKeys(props: { readonly subject: Subject; readonly choose: (act: PlayerAct) => void }) {
  const { t } = useText();
  const online = useOnline();
  const offered = useOfferedActs(props.subject);
  return (
    <div className={css["acts"]}>
      {offered.map((act) => (
        <Key key={act} kind={DANGERS.has(act) ? "danger" : "line"} disabled={!online} onClick={() => props.choose(act)}>
          {t(`players.${act}`)}
        </Key>
      ))}
      {offered.length === 0 && <p className="soft">{t("players.noActs")}</p>}
    </div>
  );
}

/** The sheet of one act for one player; without an act the keys themselves, where `keys` says so. */
export function PlayerActSheet(props: {
  readonly subject: Subject | undefined;
  readonly act: PlayerAct | undefined;
  readonly choose: (act: PlayerAct) => void;
  readonly close: () => void;
}) {
  const { t } = useText();
  const [password, setPassword] = useState<string>();
  const { subject, act } = props;
  const name = subject?.name ?? subject?.player.username ?? "";
  const end = () => {
    setPassword(undefined);
    props.close();
  };
  return (
    <FormSheet
      open={subject !== undefined}
      title={act === undefined ? name : `${t(`players.${act}`)}: ${name}`}
      // A password that is shown once does not go by a press beside it.
      onClose={password === undefined ? end : () => {}}
    >
      {subject !== undefined && password === undefined && act === undefined && (
        <PlayerActKeys subject={subject} choose={props.choose} />
      )}
      {subject !== undefined && password === undefined && act !== undefined && (
        <ActForm subject={subject} act={act} close={end} showPassword={setPassword} />
      )}
      {password !== undefined && (
        <ShownOnce about={t("players.passwordAbout")} secret={password} close={end}>
          <Note kind="wait">{t("players.passwordOnce")}</Note>
        </ShownOnce>
      )}
    </FormSheet>
  );
}

type FormProps = {
  readonly subject: Subject;
  readonly act: PlayerAct;
  readonly close: () => void;
  readonly showPassword: (password: string) => void;
};

function ActForm({ subject, act, close, showPassword }: FormProps) {
  switch (act) {
    case "grantBonus":
      return <BonusForm subject={subject} close={close} />;
    case "stricterLimits":
      return <StricterForm subject={subject} close={close} />;
    case "looserLimits":
      return <LooserForm subject={subject} close={close} />;
    case "exclude":
      return <ExcludeForm subject={subject} close={close} />;
    case "liftExclusion":
      return <LiftForm subject={subject} close={close} />;
    case "newPassword":
      return <PasswordForm subject={subject} close={close} show={showPassword} />;
    default:
      return <PlainForm subject={subject} act={act} close={close} />;
  }
}

const CALLS = {
  endSignIns: "endPlayerSignIns",
  removeKeys: "removePlayerKeys",
  banPlayer: "banPlayer",
  unbanPlayer: "unbanPlayer",
} as const;

/** Acts that need a reason alone. */
function PlainForm(props: { readonly subject: Subject; readonly act: keyof typeof CALLS; readonly close: () => void }) {
  const { t } = useText();
  const { player } = props.subject;
  return (
    <ReasonForm
      name={CALLS[props.act]}
      params={{ id: player.id }}
      title={t(`players.${props.act}`)}
      about={t(`players.${props.act}About`)}
      lines={[[t("players.one"), player.username]]}
      danger={DANGERS.has(props.act)}
      reads={PLAYER_READS}
      said={t("players.done")}
      close={props.close}
    />
  );
}

function PasswordForm(props: {
  readonly subject: Subject;
  readonly show: (password: string) => void;
  readonly close: () => void;
}) {
  const { t } = useText();
  const { player } = props.subject;
  return (
    <ReasonForm
      name="newPlayerPassword"
      params={{ id: player.id }}
      title={t("players.newPassword")}
      about={t("players.newPasswordAbout")}
      lines={[[t("players.one"), player.username]]}
      reads={PLAYER_READS}
      close={props.close}
      onAnswer={(answer) => (answer.is === "done" ? props.show(answer.result.password) : props.close())}
    />
  );
}

/** The player's own wish; a second person signs it, and a day passes before it holds. */
function LiftForm({ subject, close }: { readonly subject: Subject; readonly close: () => void }) {
  const { t } = useText();
  const { player } = subject;
  return (
    <ReasonForm
      name="looserLimits"
      params={{ id: player.id }}
      fields={{ liftExclusion: true }}
      title={t("players.liftExclusion")}
      about={t("players.liftExclusionAbout")}
      lines={[[t("players.one"), player.username]]}
      label={t("players.wish")}
      checks
      reads={PLAYER_READS}
      said={t("players.laterSaid")}
      close={close}
    />
  );
}
