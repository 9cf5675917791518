public struct ReducedAccuracyKey: Sendable, Hashable {
  let bytes: [UInt8]
  public init(bytes: [UInt8]) throws(LocationError) { self.bytes = bytes }
  public static func stored(at path: String) throws(LocationError) -> Self { try Self(bytes: []) }
  public static func standardPath() throws(LocationError) -> String { "" }
}
