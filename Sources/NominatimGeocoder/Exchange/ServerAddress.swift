import AsyncLocation
import FoundationEssentials
import HTTPTransfer

/// The address of a service: a scheme, a host, a port and a path.
struct ServerAddress: Sendable, Hashable {
  /// The origin, which must not change when a server redirects.
  let origin: HTTPOrigin
  /// The address without a slash at its end.
  let base: String

  /// Checks an address.
  ///
  /// - Throws: `invalidValue` unless it is an HTTP or HTTPS address of up to 1,024 ASCII characters
  ///   without user, query and fragment.
  init(_ text: String) throws(LocationError) {
    guard text.utf8.count <= 1024, text.utf8.allSatisfy({ (0x21..<0x7F).contains($0) }),
      let url = URL(string: text), let origin = HTTPOrigin(url),
      url.query(percentEncoded: true) == nil, url.fragment(percentEncoded: true) == nil,
      !text.contains("?"), !text.contains("#")
    else {
      throw LocationError(
        .invalidValue,
        "The server's address is not usable; give one such as \"https://places.example.org\", "
          + "in ASCII, with neither user, query nor fragment.")
    }
    self.origin = origin
    var base = Substring(text)
    while base.hasSuffix("/") { base.removeLast() }
    self.base = String(base)
  }

  /// The host, and the port unless it is the scheme's default; for messages.
  var name: String { origin.name }

  /// Whether the server belongs to the OpenStreetMap Foundation.
  var isOpenStreetMap: Bool {
    var host = Substring(origin.host)
    while host.hasSuffix(".") { host.removeLast() }
    return host == "openstreetmap.org" || host.hasSuffix(".openstreetmap.org")
  }
}
