use proc_macro2::TokenStream;
use quote::quote;

pub fn lemma(name: &str, ensures: TokenStream) -> TokenStream {
    let name = quote::format_ident!("lemma_{}", name);
    quote! {
        #[verifier::external_body]
        proof fn #name()
            ensures #ensures
        {
        }
    }
}
