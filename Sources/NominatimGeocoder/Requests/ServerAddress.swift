import AsyncLocation
import FoundationEssentials

/// Where a service is: a scheme, a host, a port and the path under which it answers.
struct ServerAddress: Sendable, Hashable {
  /// What must not change when a server redirects.
  struct Origin: Sendable, Hashable {
    let scheme: String
    let host: String
    let port: Int

    /// The origin of an address; nil if it is not one of HTTP or contains a user's name.
    init?(_ url: URL) {
      guard let scheme = url.scheme?.lowercased(), let host = url.host(percentEncoded: true),
        !host.isEmpty, url.user(percentEncoded: true) == nil,
        url.password(percentEncoded: true) == nil
      else { return nil }
      switch scheme {
      case "http": port = url.port ?? 80
      case "https": port = url.port ?? 443
      default: return nil
      }
      guard (1...65_535).contains(port) else { return nil }
      (self.scheme, self.host) = (scheme, host.lowercased())
    }
  }

  let origin: Origin
  /// The address without a slash at its end.
  let base: String

  /// Checks an address.
  ///
  /// - Throws: `invalidValue` unless it is an address of HTTP or HTTPS without a user's name, a
  ///   query and a fragment.
  init(_ text: String) throws(LocationError) {
    guard text.utf8.count <= 1024, text.utf8.allSatisfy({ (0x21..<0x7F).contains($0) }),
      let url = URL(string: text), let origin = Origin(url), url.query(percentEncoded: true) == nil,
      url.fragment(percentEncoded: true) == nil, !text.contains("?"), !text.contains("#")
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

  /// The host and, if it is not the scheme's own, the port: for messages.
  var name: String {
    let isStandard = origin.port == (origin.scheme == "https" ? 443 : 80)
    return String(printable: origin.host) + (isStandard ? "" : ":\(origin.port)")
  }

  /// True for the servers of the OpenStreetMap Foundation.
  var isOpenStreetMap: Bool {
    var host = Substring(origin.host)
    while host.hasSuffix(".") { host.removeLast() }
    return host == "openstreetmap.org" || host.hasSuffix(".openstreetmap.org")
  }
}
