import Glibc

extension SocketAddress {
  /// The addresses of a host that needs no look-up: a numeric address, or "localhost". Nil for any
  /// other host. Does not block.
  package static func known(host: String, port: Int) -> [SocketAddress]? {
    if isLocal(host) { return loopback.map { $0.with(port: port) } }
    // A numeric address has a colon or starts with a digit. It is parsed by the rules of
    // `getaddrinfo`: "127.1", "fe80::1%eth0".
    guard host.contains(":") || host.utf8.first.map({ (48...57).contains($0) }) == true else {
      return nil
    }
    return try? find(host, flags: AI_NUMERICHOST).get().map { $0.with(port: port) }
  }

  /// The addresses of a host with port 0, in the order to try them. Blocks.
  static func lookUp(host: String) -> Result<[SocketAddress], TransportFailure> {
    find(host, flags: 0)
  }

  /// Whether a name is "localhost" or a subdomain of it. RFC 6761 reserves these names for the
  /// loopback addresses, whatever a name server returns.
  private static func isLocal(_ host: String) -> Bool {
    let labels = host.lowercased().split(separator: ".", omittingEmptySubsequences: false)
    let name = labels.last == "" ? labels.dropLast() : labels[...]
    return name.last == "localhost" && !name.contains("")
  }

  /// IPv6 first, as `getaddrinfo` sorts them. Without IPv6 that attempt fails immediately.
  private static let loopback: [SocketAddress] = {
    var six = sockaddr_in6()
    six.sin6_family = sa_family_t(AF_INET6)
    six.sin6_addr = in6addr_loopback
    var four = sockaddr_in()
    four.sin_family = sa_family_t(AF_INET)
    four.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    // SAFETY: the bytes of a local value are copied.
    let sixBytes = unsafe withUnsafeBytes(of: six) { unsafe Array($0) }
    let fourBytes = unsafe withUnsafeBytes(of: four) { unsafe Array($0) }
    return [
      SocketAddress(family: AF_INET6, bytes: sixBytes),
      SocketAddress(family: AF_INET, bytes: fourBytes),
    ]
  }()

  private static func find(
    _ host: String, flags: Int32
  ) -> Result<[SocketAddress], TransportFailure> {
    // SAFETY: `getaddrinfo` allocates the list, whose entries and addresses are valid until
    // `freeaddrinfo`; each address is copied before.
    var hints = unsafe addrinfo()
    unsafe hints.ai_family = AF_UNSPEC
    unsafe hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
    unsafe hints.ai_flags = flags
    var list: UnsafeMutablePointer<addrinfo>?
    let status = unsafe getaddrinfo(host, nil, &hints, &list)
    if status == EAI_SYSTEM { return .failure(.system(errno: errno)) }
    guard status == 0 else { return .failure(.lookup(code: status)) }
    defer { unsafe freeaddrinfo(list) }

    var addresses: [SocketAddress] = []
    var next = unsafe list
    while let entry = unsafe next {
      if let address = unsafe entry.pointee.ai_addr,
        unsafe entry.pointee.ai_addrlen <= socklen_t(MemoryLayout<sockaddr_storage>.size)
      {
        let length = unsafe Int(entry.pointee.ai_addrlen)
        let bytes = unsafe Array(UnsafeRawBufferPointer(start: address, count: length))
        addresses.append(SocketAddress(family: unsafe entry.pointee.ai_family, bytes: bytes))
      }
      unsafe next = entry.pointee.ai_next
    }
    return addresses.isEmpty ? .failure(.lookup(code: EAI_NONAME)) : .success(addresses)
  }
}
