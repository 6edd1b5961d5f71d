import { useText } from "@longarm/ui/i18n/use-text.ts";
import { Key } from "@longarm/ui/key.tsx";
import { useEffect, useState } from "react";
import type { ApiFailure } from "../../shared/api/failure.ts";
import { IssuerIcon } from "../../shared/issuer-visit/issuer-icon.tsx";
import css from "./login.module.css";

/** Signing in with an issuer of the operator's. */
export type OpenIdDoor = {
  /** What players know it by. */
  readonly label: string;
  /** The address of its icon; null: it has none. */
  readonly icon: string | null;
  /** Leaves the page; resolves with why that failed. */
  leave(): Promise<ApiFailure | undefined>;
};

export type IssuerKeysProps = {
  /** In the order of their buttons. */
  readonly issuers: () => Promise<readonly OpenIdDoor[]>;
  readonly failed: (failure: ApiFailure | undefined) => void;
};

/** A key for each issuer of the operator's. They are looked for once the form is there. */
export function IssuerKeys({ issuers, failed }: IssuerKeysProps) {
  const [doors, setDoors] = useState<readonly OpenIdDoor[]>([]);
  useEffect(() => void issuers().then(setDoors), [issuers]);
  return doors.map((door) => <IssuerKey key={door.label} door={door} failed={failed} />);
}

/** Leads to one issuer. While that one does not answer, every other way to sign in stays open. */
function IssuerKey({ door, failed }: Pick<IssuerKeysProps, "failed"> & { readonly door: OpenIdDoor }) {
  const { t } = useText();
  const [busy, setBusy] = useState(false);
  async function leave(): Promise<void> {
    setBusy(true);
    failed(undefined);
    const failure = await door.leave();
    // The page is on its way out, and may come back from the browser's history.
    if (failure === undefined) return addEventListener("pageshow", () => setBusy(false), { once: true });
    setBusy(false);
    failed(failure);
  }
  return (
    <Key kind="line" big className={css["issuer"] ?? ""} busy={busy} onClick={() => void leave()}>
      <IssuerIcon address={door.icon} />
      {t("auth.openId", { name: door.label })}
    </Key>
  );
}
