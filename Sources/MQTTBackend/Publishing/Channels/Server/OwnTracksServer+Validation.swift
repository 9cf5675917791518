import AsyncLocation
import FoundationEssentials
import HTTPTransfer
import LocationTransport

extension OwnTracksServer {
  /// The scheme, host and port, for error messages. The path and the query may contain a secret.
  var endpoint: String {
    guard let origin else { return "(invalid address)" }
    return "\(origin.scheme)://\(origin.name)"
  }

  private var origin: HTTPOrigin? {
    guard url.utf8.count <= 4096, url.utf8.allSatisfy({ (0x21..<0x7F).contains($0) }),
      !url.contains("#"), let url = URL(string: url)
    else { return nil }
    return HTTPOrigin(url)
  }

  /// Checks the address and the options.
  ///
  /// - Throws: ``LocationError`` with `invalidValue` for the first invalid value.
  func validate() throws(LocationError) {
    guard let origin else {
      throw Self.invalid(
        "The server's address is not usable; give one such as "
          + "\"https://recorder.example.org/pub\", in ASCII, with neither user, password nor "
          + "fragment. User and password belong into the credentials.")
    }
    guard origin.scheme == "https" || tls == TLS() else {
      throw Self.invalid("TLS options need an address that begins with https://.")
    }
    guard (tls.certificateFile == nil) == (tls.keyFile == nil) else {
      throw Self.invalid("A client's certificate needs its key, and a key its certificate.")
    }
    let files = [tls.authorityFile, tls.certificateFile, tls.keyFile]
    guard files.allSatisfy({ $0?.utf8.contains(0) != true }) else {
      throw Self.invalid("The path of a file for TLS contains a NUL character.")
    }
    for (name, timeout) in [("connectTimeout", connectTimeout), ("timeout", timeout)] {
      guard (.milliseconds(1)...(.seconds(86_400))).contains(timeout) else {
        throw Self.invalid("\(name) must be in 1 ms...86,400 s, got \(timeout).")
      }
    }
    if let problem = reconnection.problem { throw Self.invalid(problem) }
  }

  private static func invalid(_ message: String) -> LocationError {
    LocationError(.invalidValue, message)
  }

  /// Reads the user name and password. A file is read on a separate thread.
  func readCredentials() async throws(LocationError) -> (user: String, password: String)? {
    guard let credentials else { return nil }
    let login: (user: String, password: String)
    if case .file = credentials {
      let endpoint = endpoint
      let result = await withCheckedContinuation { caller in
        let code = NamedThread.start("location-files") {
          caller.resume(
            returning: Result { () throws(LocationError) in
              try CredentialReader.read(credentials)
            })
        }
        if let code {
          caller.resume(
            returning: .failure(.cannotConnect(toBroker: endpoint, .system(errno: code))))
        }
      }
      login = try result.get()
    } else {
      login = try CredentialReader.read(credentials)
    }
    guard !login.user.contains(":") else {
      throw Self.invalid("A user name with a colon is not possible in basic authentication.")
    }
    return login
  }
}
