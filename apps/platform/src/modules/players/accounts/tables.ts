import type { AppearanceChoice } from "@longarm/contract/template/appearance";
import type { ColumnType, Generated } from "kysely";

export type PlayersTables = {
  player: {
    id: string;
    username: string;
    username_key: string;
    email: string | null;
    name: Generated<string>;
    lastname: Generated<string>;
    password: string;
    pin: Buffer | null;
    player_group: Generated<string>;
    type: Generated<string>;
    permissions: Generated<number[]>;
    demo: Generated<boolean>;
    banned_at: Date | null;
    last_logon: Date | null;
    last_logon_ip: string | null;
    password_changed_at: Date | null;
    created_at: ColumnType<Date, never, never>;
  };
  player_profile: {
    player_id: string;
    settings: ColumnType<AppearanceChoice | null, string | null, string | null>;
    shortcuts: string[] | null;
    changed_at: Generated<Date>;
  };
  platform_key: {
    kid: string;
    purpose: "token" | "pin" | "bus" | "still";
    secret: Buffer;
    created_at: ColumnType<Date, never, never>;
    retired_at: Date | null;
  };
};
