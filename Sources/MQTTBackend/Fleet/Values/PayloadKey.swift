import AsyncLocation
import CSodium
import FoundationEssentials
import OwnTracks

/// The key with which a device encrypts its messages, as OwnTracks' apps do: libsodium's secret
/// box, which is XSalsa20 with Poly1305. A key is never printed.
public struct PayloadKey: Sendable, Hashable {
  /// The length of a key in bytes.
  public static var length: Int { 32 }

  /// Initializes libsodium once.
  private static let isReady = sodium_init() >= 0

  private let bytes: [UInt8]

  /// Creates a key of 32 bytes; nil for any other number of bytes.
  public init?(_ bytes: some Collection<UInt8>) {
    guard bytes.count == Self.length else { return nil }
    self.bytes = Array(bytes)
  }

  /// Creates the key of a password that the user enters in the app: its UTF-8 bytes, padded with
  /// zeros. Nil for an empty password and for one of more than 32 bytes.
  public init?(password: String) {
    let bytes = Array(password.utf8)
    guard (1...Self.length).contains(bytes.count) else { return nil }
    self.bytes = bytes + Array(repeating: 0, count: Self.length - bytes.count)
  }

  /// Encrypts a message, with a random nonce.
  func encrypt(_ message: [UInt8]) throws(LocationError) -> OwnTracksMessage {
    guard Self.isReady else {
      throw LocationError(.backendUnavailable, "libsodium has no source of random numbers.")
    }
    var nonce = [UInt8](repeating: 0, count: Int(crypto_secretbox_NONCEBYTES))
    unsafe randombytes_buf(&nonce, nonce.count)
    var box = [UInt8](repeating: 0, count: message.count + Int(crypto_secretbox_MACBYTES))
    // SAFETY: the arrays have the lengths that the function reads and writes.
    _ = unsafe crypto_secretbox_easy(&box, message, UInt64(message.count), nonce, bytes)
    return .encrypted(EncryptedMessage(Data(nonce + box)))
  }

  /// Decrypts a message; nil if it was encrypted with another key, or was altered.
  func decrypt(_ message: EncryptedMessage) -> [UInt8]? {
    let nonceLength = Int(crypto_secretbox_NONCEBYTES)
    let data = Array(message.data)
    let length = data.count - nonceLength - Int(crypto_secretbox_MACBYTES)
    guard length >= 0, Self.isReady else { return nil }
    let (nonce, box) = (Array(data[..<nonceLength]), Array(data[nonceLength...]))
    var plain = [UInt8](repeating: 0, count: length)
    // SAFETY: the arrays have the lengths that the function reads and writes.
    let status = unsafe crypto_secretbox_open_easy(
      &plain, box, UInt64(box.count), nonce, bytes)
    return status == 0 ? plain : nil
  }
}

extension PayloadKey: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  public var description: String { "PayloadKey" }
  public var debugDescription: String { description }
  public var customMirror: Mirror { Mirror(self, children: []) }
}
