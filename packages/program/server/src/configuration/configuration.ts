import type { Caller, CallerBook, compileRegistry, RegisteredAgent, Registry } from '@colophon/issuance';
import type { ClaimSource, Namespace, SourcedClaim, WitnessPlace } from '@colophon/records';
import type { TokenAlgorithm } from '../data-folder/data-folder.ts';
import type { CERTIFIED_SUBJECTS, Role } from './configuration-schema.ts';

/** Where the keys of a trusted issuer come from; from its discovery document where none of these is named. */
export type CallerKeys =
  | { readonly from: 'discovery'; readonly caFile?: string }
  | { readonly from: 'url'; readonly url: string; readonly caFile?: string; readonly bearerFile?: string }
  | { readonly from: 'file'; readonly file: string };

/** An issuer whose tokens callers show. */
export type CallerIssuer = {
  readonly issuer: string;
  readonly kind: 'oidc' | 'spiffe';
  readonly maxAgeSeconds: number;
  readonly keys: CallerKeys;
};

/** An issuer whose tokens the embedded authority certifies. */
export type FurtherIssuer = { readonly issuer: string; readonly subject: (typeof CERTIFIED_SUBJECTS)[number] };

/** A value that is not in the file. */
export type SecretReference = { readonly env: string } | { readonly file: string };

/** Where requests come in. */
export type ListenRule = {
  readonly address: string;
  readonly port: number;
  readonly isLoopback: boolean;
  readonly tls?: { readonly certificateFile: string; readonly key: SecretReference };
  /** Addresses and networks. */
  readonly trustedProxies?: readonly string[];
  /** For how long a server that is to end takes requests, while it says that it is not ready. */
  readonly drainSeconds: number;
};

/** A trusted root in a file. */
export type TrustedRootFile = {
  readonly name: string;
  readonly file: string;
  readonly insecureIgnoreSct: boolean;
  /** Whom it certifies; absent of the one that certifies whom no other names. */
  readonly issuers?: readonly string[];
};

/** Whose signatures count, and where to sign. */
export type TrustRule = {
  /** Undefined where the file names none. */
  readonly roots?: readonly TrustedRootFile[];
  readonly signingConfigFile?: string;
};
/** Where people who review log in. */
export type ReviewLogin = { readonly issuer: string; readonly clientId: string };

export type ServerLimits = {
  readonly requestsPerSecond: number;
  readonly burst: number;
  readonly bodyBytes: number;
  readonly headerSeconds: number;
  readonly requestSeconds: number;
  readonly apiKeyDays: number;
};

/** What is fixed when the server starts; a file that changes any of it takes effect with the next start. */
export type FixedConfiguration = {
  readonly issuer: string;
  readonly listen: ListenRule;
  readonly operations?: { readonly address: string; readonly port: number };
  readonly dataDir: string;
  /** Of the checkpoints that it has signed, outside of the data folder. */
  readonly pinsFolder?: string;
  readonly roles: readonly Role[];
  /** Whose tokens the authority certifies beside those of this issuer. */
  readonly furtherIssuers?: readonly FurtherIssuer[];
  readonly tokens: {
    readonly algorithm?: TokenAlgorithm;
    readonly lifetimeSeconds: number;
    readonly audiences: readonly string[];
    readonly keyFile?: string;
    readonly keyCacheSeconds: number;
  };
  readonly namespace: Partial<Namespace>;
  readonly trust?: TrustRule;
  readonly limits: ServerLimits;
  readonly reviews?: { readonly login: ReviewLogin };
};

/** What a configuration file says to a program that is a client of its services. */
export type ClientConfiguration = {
  readonly issuer?: string;
  readonly namespace: Partial<Namespace>;
  readonly trust: TrustRule;
  readonly reviewLogin?: ReviewLogin;
  /** Files of admission policies that are in force, and folders of them; absent where the file says none. */
  readonly policyFiles?: readonly string[];
};

/** A witness whose receipts are taken. */
export type WitnessEntry = {
  readonly name: string;
  /** Its public key, PEM. */
  readonly keyFile: string;
  readonly place: WitnessPlace;
  readonly callers?: readonly string[];
  readonly upstreams?: Readonly<Record<string, string>>;
};

/** What takes effect at once. */
export type LiveConfiguration = {
  /** `sha256:<hex>` over the bytes of the file: stands in the ledger row of every token that was issued under it. */
  readonly hash: string;
  readonly callers: CallerBook;
  readonly callerList: readonly Caller[];
  readonly callerIssuers: readonly CallerIssuer[];
  readonly witnesses: readonly WitnessEntry[];
  readonly agents: readonly RegisteredAgent[] | undefined;
  readonly registry: Registry;
  readonly requiredClaims: readonly SourcedClaim[];
  readonly requiredSources: { readonly [claim in SourcedClaim]?: readonly ClaimSource[] };
};

/** What a configuration file says, as plain data: it can come from another process. */
export type ConfigurationData = {
  readonly fixed: FixedConfiguration;
  /** Agents, models and policy packs. */
  readonly registered: Parameters<typeof compileRegistry>[0];
} & Pick<
  LiveConfiguration,
  'hash' | 'callerList' | 'callerIssuers' | 'witnesses' | 'requiredClaims' | 'requiredSources'
>;

/** One configuration file, read. */
export type Configuration = { readonly fixed: FixedConfiguration; readonly live: LiveConfiguration };
