import { z } from "zod";

const Id = z.string().max(25);
const Bits = z.string().regex(/^\d{1,30}$/);

/** What the bot cannot do without each permission. */
const NEEDED = [
  { bit: 10n, name: "View Channels", without: "it sees nothing there" },
  { bit: 11n, name: "Send Messages", without: "it cannot answer" },
  { bit: 16n, name: "Read Message History", without: "what was written while Baton was away is lost" },
  { bit: 35n, name: "Create Public Threads", without: "it cannot answer in a thread" },
  { bit: 38n, name: "Send Messages in Threads", without: "it cannot answer in a thread" },
  { bit: 6n, name: "Add Reactions", without: "it cannot show that it saw a message" },
  { bit: 15n, name: "Attach Files", without: "it cannot attach long answers" },
] as const;

const ADMINISTRATOR = 3n;

/** Those that the link to invite the bot asks for. */
export const INVITE_PERMISSIONS = String(NEEDED.reduce((all, { bit }) => all | (1n << bit), 0n));

export const GuildRoles = z.object({
  id: Id,
  roles: z.array(z.object({ id: Id, permissions: Bits })).max(1_000),
});
export const MemberRoles = z.object({ roles: z.array(Id).max(1_000) });
export const Overwritten = z.object({
  permission_overwrites: z
    .array(z.object({ id: Id, allow: Bits, deny: Bits }))
    .max(2_000)
    .nullish(),
});

interface Given {
  guild: z.infer<typeof GuildRoles>;
  member: z.infer<typeof MemberRoles>;
  channel: z.infer<typeof Overwritten>;
  own: string;
}

/** What the bot lacks in a channel, in words: from its roles, and what the channel changes of them. */
export function lacking({ guild, member, channel, own }: Given): string[] {
  const isOwn = (id: string) => id === guild.id || member.roles.includes(id);
  const base = guild.roles.reduce(
    (all, { id, permissions }) => (isOwn(id) ? all | BigInt(permissions) : all),
    0n,
  );
  if (base & (1n << ADMINISTRATOR)) return [];
  const overwrites = channel.permission_overwrites ?? [];
  // Those of everybody first, then all roles at once, then the bot's own.
  const steps = [[guild.id], member.roles.filter((id) => id !== guild.id), [own]];
  const has = steps.reduce((bits, ids) => {
    const ofThem = overwrites.filter(({ id }) => ids.includes(id));
    const denied = ofThem.reduce((all, { deny }) => all | BigInt(deny), 0n);
    const allowed = ofThem.reduce((all, { allow }) => all | BigInt(allow), 0n);
    return (bits & ~denied) | allowed;
  }, base);
  return NEEDED.filter(({ bit }) => !(has & (1n << bit))).map(({ name, without }) => `${name} (${without})`);
}
