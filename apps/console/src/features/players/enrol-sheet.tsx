import { Field } from "@longarm/ui/field.tsx";
import { useText } from "@longarm/ui/i18n/use-text.ts";
import { Link } from "@tanstack/react-router";
import { useState } from "react";
import type { AnswerOf } from "../../shared/api.ts";
import { useMay } from "../../shared/me.ts";
import { paths } from "../../shared/paths.ts";
import { ActKeys, FormSheet } from "../../shared/ui/form-sheet.tsx";
import { Facts, Note } from "../../shared/ui/panel.tsx";
import { ShownOnce } from "../../shared/ui/shown-once.tsx";
import { useAct } from "../../shared/ui/use-act.ts";
import css from "./players.module.css";

type Added = Extract<AnswerOf<"addPlayer">, { is: "done" }>["result"];

/** Enrols a player at the desk. The first password is shown once, and the player changes it. */
export function EnrolSheet({ open, close }: { readonly open: boolean; readonly close: () => void }) {
  const { t } = useText();
  const [added, setAdded] = useState<Added>();
  const end = () => {
    setAdded(undefined);
    close();
  };
  return (
    <FormSheet
      open={open}
      title={t(added === undefined ? "players.add" : "players.added")}
      // A password that is shown once does not go by a press beside it.
      onClose={added === undefined ? end : () => {}}
    >
      {added === undefined ? <EnrolForm done={setAdded} close={end} /> : <Enrolled added={added} close={end} />}
    </FormSheet>
  );
}

const USERNAME_LETTERS_MIN = 4;
/** The platform reads an address more strictly, and says what is wrong. */
const EMAIL = /^[^\s@]+@[^\s@]+\.[^\s@]+$/;

function EnrolForm({ done, close }: { readonly done: (added: Added) => void; readonly close: () => void }) {
  const { t } = useText();
  const { busy, run } = useAct();
  const [name, setName] = useState("");
  const [username, setUsername] = useState("");
  const [email, setEmail] = useState("");
  const fields = { username: username.trim(), name: name.trim(), email: email.trim() };
  const isShort = username !== "" && fields.username.length < USERNAME_LETTERS_MIN;
  const isNoEmail = fields.email !== "" && !EMAIL.test(fields.email);
  async function send(): Promise<void> {
    const answer = await run("addPlayer", {
      fields: {
        username: fields.username,
        ...(fields.name !== "" && { name: fields.name }),
        ...(fields.email !== "" && { email: fields.email }),
      },
      summary: { title: t("players.add"), lines: [[t("app.username"), fields.username]] },
      reads: ["players"],
    });
    if (answer?.is === "done") done(answer.result);
  }
  return (
    <>
      <p className="soft">{t("players.addAbout")}</p>
      <Field
        label={t("players.fullName")}
        note={t("players.fullNameNote")}
        value={name}
        maxLength={100}
        autoComplete="off"
        onChange={({ target }) => setName(target.value)}
      />
      <Field
        label={t("app.username")}
        note={t("players.usernameNote")}
        error={isShort ? t("players.usernameShort") : undefined}
        value={username}
        maxLength={64}
        autoComplete="off"
        autoCapitalize="none"
        spellCheck={false}
        onChange={({ target }) => setUsername(target.value)}
      />
      <Field
        label={t("players.email")}
        note={t("players.emailNote")}
        error={isNoEmail ? t("players.emailWrong") : undefined}
        value={email}
        maxLength={254}
        type="email"
        autoComplete="off"
        dir="ltr"
        onChange={({ target }) => setEmail(target.value)}
      />
      <ActKeys
        send={t("players.addNow")}
        busy={busy}
        disabled={fields.username === "" || isShort || isNoEmail}
        onSend={() => void send()}
        onCancel={close}
      />
    </>
  );
}

/** What the player takes along: the name to sign in with, and the first password. */
function Enrolled({ added, close }: { readonly added: Added; readonly close: () => void }) {
  const { t } = useText();
  const seesMore = useMay("player.see");
  return (
    <ShownOnce about={t("players.passwordAbout")} secret={added.password} close={close}>
      <Facts rows={[[t("app.username"), <b key="username">{added.player.username}</b>]]} />
      <Note kind="wait">{t("players.passwordOnce")}</Note>
      {seesMore && (
        <Link to={`${paths.players}/${added.player.id}`} className={css["link"]}>
          {t("players.openPage")}
        </Link>
      )}
    </ShownOnce>
  );
}
