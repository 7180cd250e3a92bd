export declare const BUILD_STAMP: string;
export declare function isBuildCurrent(): boolean;
