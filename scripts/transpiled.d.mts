export declare const TRANSPILED: string;
export declare const isTranspiled: boolean;
export declare const SOURCE_OPTIONS: readonly string[];
export declare function sourceModule(url: URL | string): string;
export declare function sourceProgram(url: URL | string): string;
